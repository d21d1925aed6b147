/**
 * A call of the log service for a terminal, with the address and the key left to the environment of whoever runs it.
 * The query is percent-encoded, so nothing that a stranger wrote can end the quotes or start a command: in double quotes
 * only `"`, `$`, backtick, `\` and `!` have a meaning, and none of them is left as it is.
 * @param query the service's own parameters
 */
export function logsCallAsCurl(query: URLSearchParams): string {
  const text = query.toString();
  const address = `$LOGS_URL/v1/logs${text === '' ? '' : `?${text}`}`;
  return `curl -H "Authorization: Bearer $LOGS_API_KEY" "${address}"`;
}
