/** Makes a `switch` over a union exhaustive: the compiler refuses the call while a member is not handled. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
