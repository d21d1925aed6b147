import { readFileSync } from 'node:fs';
import { ensureBuilt } from './build.mjs';
import { enterProject } from './project.mjs';

// Every secret setting gets a unique value during the build; the tests search the build for these values.
enterProject();
await ensureBuilt(JSON.parse(readFileSync('scripts/canary.json', 'utf8')));
