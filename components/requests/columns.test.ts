import { describe, expect, it } from 'vitest';
import { COLUMN_IDS, MIN_COLUMN_PX } from '@/lib/requests/columns';
import { COLUMNS, headerLabel, TABLE_COLUMNS } from './columns';

describe('the columns', () => {
  it('are all those that a link can name, in the order in which they are offered', () => {
    expect(TABLE_COLUMNS.map(({ id }) => id)).toEqual([...COLUMN_IDS]);
  });

  it('have words of their own', () => {
    expect(new Set(COLUMN_IDS.map((id) => COLUMNS[id].label)).size).toBe(COLUMN_IDS.length);
  });

  it('are usually as wide as one can be set', () => {
    for (const { size } of TABLE_COLUMNS) expect(size).toBeGreaterThanOrEqual(MIN_COLUMN_PX);
  });
});

describe('headers', () => {
  it('of times say in which zone they are', () => {
    expect(headerLabel('created', 'utc')).toBe('Created (UTC)');
    expect(headerLabel('updated', 'local')).toBe('Updated (local)');
    expect(headerLabel('created', 'relative')).toBe('Created');
    expect(headerLabel('state', 'utc')).toBe('State');
  });
});
