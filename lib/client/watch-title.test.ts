import { describe, expect, it } from 'vitest';
import { TitleBadge } from './watch-title';

function page(title: string) {
  const state = { title, seen: false };
  const badge = new TitleBadge({
    read: () => state.title,
    write: (next) => {
      state.title = next;
    },
    isLookedAt: () => state.seen,
  });
  return { state, badge };
}

describe('the badge in the title', () => {
  it('counts what happened while nobody looked, and is gone when somebody does', () => {
    const { state, badge } = page('Pending');
    badge.add(1);
    badge.add(1);
    expect(state.title).toBe('(2) Pending');
    badge.look();
    expect(state.title).toBe('(2) Pending');
    state.seen = true;
    badge.look();
    expect(state.title).toBe('Pending');
  });

  it('does not count what is seen as it happens', () => {
    const { state, badge } = page('Pending');
    state.seen = true;
    badge.add(3);
    expect(state.title).toBe('Pending');
  });

  it('leaves the title that a page has written meanwhile', () => {
    const { state, badge } = page('Pending');
    badge.add(1);
    state.title = 'Request 5';
    badge.add(1);
    expect(state.title).toBe('(2) Request 5');
    state.title = '(7) is my name';
    state.seen = true;
    badge.look();
    expect(state.title).toBe('(7) is my name');
  });
});
