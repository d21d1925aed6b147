export { logsCallAsCurl } from '@/lib/domain/logs-curl';
