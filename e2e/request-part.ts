import type { Locator, Page } from '@playwright/test';
import type { Scenario } from './control';

/** A section of a request's page or panel, by its heading. */
export function part(page: Page, title: string): Locator {
  return page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
}

/** The oldest stuck request. */
export function pathOf(incident: Scenario['incidents'][number] | undefined): string {
  const request = incident?.requests[0];
  if (incident === undefined || request === undefined) throw new Error('nothing is stuck');
  const query = new URLSearchParams({
    keeper: incident.keeper,
    provider: incident.provider,
    tx: request.request_tx_hash,
  });
  return `/requests/${incident.network_id}/${request.sequence}?${query}`;
}
