import type { Page } from '@playwright/test';
import { expect } from './fixtures';

export const SYMBOLS = ['Crypto.BTC/USD', 'Crypto.ETH/USD', 'Crypto.SOL/USD', 'FX.EUR/USD'];
export const [BTC = '', ETH = '', SOL = '', EUR = ''] = SYMBOLS;
export const BOARD = `/feeds?ids=${SYMBOLS.join(',')}`;

export const tile = (page: Page, symbol: string) => page.getByRole('region', { name: symbol, exact: true });
export const grip = (page: Page, symbol: string) => page.getByRole('button', { name: `Arrange ${symbol}` });
export const tiles = (page: Page) => page.locator('[data-tile]').getByRole('region');
export const tileOrder = (page: Page) =>
  tiles(page).evaluateAll((all) => all.map((tile) => tile.getAttribute('aria-label') ?? ''));
export const expectOrder = (page: Page, symbols: readonly string[]) =>
  expect.poll(() => tileOrder(page)).toEqual(symbols);

export async function openBoard(
  page: Page,
  address = BOARD,
  symbols: readonly string[] = SYMBOLS,
): Promise<void> {
  await page.goto(address);
  for (const symbol of symbols) {
    await expect(tile(page, symbol).locator('[data-figure="price"]')).toHaveText(/\d/, { timeout: 30_000 });
  }
  await expect(page.locator('[data-connection="live"], [data-connection="quiet"]')).toBeVisible();
}
