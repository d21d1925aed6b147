import { QUICK_CHECKS, runChecks } from './checks.mjs';
import { ensureInstalled } from './install.mjs';
import { enterProject, say } from './project.mjs';

enterProject();
await ensureInstalled();
const failures = await runChecks(QUICK_CHECKS);
say(failures.length === 0 ? 'All checks hold.' : `Failed: ${failures.join(', ')}.`);
process.exit(failures.length === 0 ? 0 : 1);
