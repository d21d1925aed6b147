import { ensureBuilt } from './build.mjs';
import { CANARY_SETTINGS } from './canary.mjs';
import { enterProject } from './project.mjs';

// Made with canary keys in the environment: the tests search the build for them.
enterProject();
await ensureBuilt(CANARY_SETTINGS);
