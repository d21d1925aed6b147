import { readFileSync } from 'node:fs';
import { ensureBuilt } from './build.mjs';
import { enterProject } from './project.mjs';

// The tests search the build for these unique values of all secret settings.
enterProject();
await ensureBuilt(JSON.parse(readFileSync('scripts/canary.json', 'utf8')));
