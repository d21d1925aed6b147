import { register } from 'node:module';

/** CSS modules for Node: every class is called by its own name, and nothing is loaded. */
const HOOKS = `
export async function load(url, context, next) {
  if (!new URL(url).pathname.endsWith('.css')) return next(url, context);
  const source = 'export default new Proxy({}, { get: (_, name) => String(name) });';
  return { format: 'module', source, shortCircuit: true };
}`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
