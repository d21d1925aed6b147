import 'server-only';

/** Next gives instrumentation, routes and the proxy separate copies of every module and its variables. */
export function processWide<T>(name: string) {
  const key = Symbol.for(`keeperscope.${name}`);
  const get = () => Reflect.get(globalThis, key) as T | undefined;
  const set = (value: T | undefined) => void Reflect.set(globalThis, key, value);
  const ensure = (make: () => T): T => {
    const value = get() ?? make();
    set(value);
    return value;
  };
  return { get, set, ensure };
}

/** One value per owner, such as the services. A new owner (a restart within a test) gets a new value. */
export function processWideOf<Owner, T>(name: string, make: (owner: Owner) => T): (owner: Owner) => T {
  const shared = processWide<{ owner: Owner; value: T }>(name);
  return (owner) => {
    if (shared.get()?.owner !== owner) shared.set({ owner, value: make(owner) });
    return shared.ensure(() => ({ owner, value: make(owner) })).value;
  };
}
