/** Where the page opens an incident. */
export function pendingPathOf(incidentId: string): `/pending?${string}` {
  return `/pending?incident=${encodeURIComponent(incidentId)}`;
}
