import { readFileSync } from 'node:fs';
import { ensureBuilt } from './build.mjs';
import { enterProject } from './project.mjs';

// Made with a secret in every setting that holds one, each of which occurs nowhere else: the tests search the build for them.
enterProject();
await ensureBuilt(JSON.parse(readFileSync('scripts/canary.json', 'utf8')));
