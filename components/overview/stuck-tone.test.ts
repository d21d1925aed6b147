import { expect, it } from 'vitest';
import type { Problem } from '@/lib/insights/problem';
import { stuckTone } from './stuck-tone';

const problem = (
  level: Problem['level'],
  networks: string[],
  kind: Problem['kind'] = 'incident',
): Problem => ({
  id: 'id',
  kind,
  level,
  networks,
  about: '',
  text: '',
  sinceMs: null,
  detail: '',
  href: '/pending',
});

it('is as severe as the incidents of the network, and not as its other problems', () => {
  const problems = [
    problem('warning', ['8453']),
    problem('bad', ['10', '1']),
    problem('bad', ['8453'], 'network'),
  ];
  expect(stuckTone(problems, '8453')).toBe('warn');
  expect(stuckTone(problems, '1')).toBe('bad');
  expect(stuckTone(problems)).toBe('bad');
  expect(stuckTone(problems.slice(0, 1))).toBe('warn');
  expect(stuckTone(undefined, '8453')).toBe('warn');
});
