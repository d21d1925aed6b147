import { describe, expect, it } from 'vitest';
import { columnGeometry } from './column-geometry';
import { modelOf } from './table-model-fixture';

describe('the widths of columns', () => {
  it('share the room that is left over among those that nobody has sized', () => {
    const { widths, table } = columnGeometry(
      modelOf([{ id: 'network', width: 100 }, { id: 'sender' }, { id: 'provider' }]),
    );
    expect(widths).toEqual(['100px', 'calc(148px + var(--spare) * 0.5)', 'calc(148px + var(--spare) * 0.5)']);
    expect(table).toMatchObject({ '--spare': 'max(0px, 100cqi - 396px)' });
  });

  it('leave the rest of the screen empty once all of them are sized', () => {
    const { table } = columnGeometry(modelOf([{ id: 'network', width: 100 }]));
    expect(table).toMatchObject({ '--spare': '0px', '--table-width': '100px' });
  });

  it('say where each pinned column stays', () => {
    const { edges, table } = columnGeometry(
      modelOf([
        { id: 'network', width: 100, pinned: true },
        { id: 'sender', pinned: true },
        { id: 'provider' },
      ]),
    );
    expect(edges).toEqual(['0px', '100px', undefined]);
    expect(table).toMatchObject({ '--pinned-width': 'calc(248px + var(--spare) * 0.5)' });
  });
});
