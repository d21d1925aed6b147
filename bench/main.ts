import { startDashboard } from '@/e2e/dashboard';
import { measureHop } from './hop';
import { measurePages } from './pages';
import { report } from './report';

const dashboard = await startDashboard({ SANDBOX_RECORDS: '50000', LOG_LEVEL: 'warn' });
try {
  const hops = [
    ...(await measureHop(dashboard.sandbox, 'text')),
    ...(await measureHop(dashboard.sandbox, 'number')),
  ];
  const figures = [...hops, ...(await measurePages(dashboard))];
  process.exitCode = report(figures) ? 0 : 1;
} finally {
  await dashboard.stop();
}
