import 'server-only';

/** One value per process: Next gives instrumentation, routes and the proxy a copy each of every module. */
export function processWide<T>(name: string): {
  get: () => T | undefined;
  set: (value: T | undefined) => void;
} {
  const key = Symbol.for(`keeperscope.${name}`);
  return {
    get: () => Reflect.get(globalThis, key) as T | undefined,
    set: (value) => {
      Reflect.set(globalThis, key, value);
    },
  };
}
