export { logsCallAsCurl } from '@/lib/core/logs-curl';
