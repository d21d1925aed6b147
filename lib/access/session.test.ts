import fc from 'fast-check';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { endSession, openSession, readSession, renewedToken, SESSION_IDLE_S, shareSessions } from './session';

const SESSION_MAX_AGE_S = 7 * 24 * 60 * 60;

const KEYS = { sessionSecret: 'a secret of more than thirty-two characters', password: 'open sesame' };
const NOW_S = 1_795_000_000;

async function opened(): Promise<{
  token: string;
  session: NonNullable<Awaited<ReturnType<typeof readSession>>>;
}> {
  const token = await openSession(KEYS, NOW_S);
  const session = await readSession(token, KEYS, NOW_S);
  if (!session) throw new Error('a session that was just opened is not good');
  return { token, session };
}

describe('a session', () => {
  it('ends after twelve hours without use', async () => {
    const { token } = await opened();
    expect(await readSession(token, KEYS, NOW_S + SESSION_IDLE_S - 1)).toBeDefined();
    expect(await readSession(token, KEYS, NOW_S + SESSION_IDLE_S + 1)).toBeUndefined();
  });

  it('is renewed while in use, and ends after a week all the same', async () => {
    let { session } = await opened();
    expect(await renewedToken(session, KEYS, NOW_S + 60)).toBeUndefined();
    const step = SESSION_IDLE_S - 3600;
    let lastGoodS = NOW_S;
    for (let atS = NOW_S + step; ; atS += step) {
      const token = await renewedToken(session, KEYS, lastGoodS === NOW_S ? atS - step + 301 : lastGoodS);
      const next = token && (await readSession(token, KEYS, atS));
      if (!next) break;
      session = next;
      lastGoodS = atS;
    }
    expect(lastGoodS - NOW_S).toBeLessThan(SESSION_MAX_AGE_S);
    expect(lastGoodS - NOW_S).toBeGreaterThan(SESSION_MAX_AGE_S - 2 * step);
  });

  it('ends with its sign-out for every copy of its token, renewed ones included', async () => {
    const { token, session } = await opened();
    const renewed = await renewedToken(session, KEYS, NOW_S + 600);
    await endSession(session, NOW_S + 700);
    expect(await readSession(token, KEYS, NOW_S + 701)).toBeUndefined();
    expect(await readSession(renewed ?? '', KEYS, NOW_S + 701)).toBeUndefined();
  });

  it('ends with a sign-out at another instance, and shares sign-outs of this one', async () => {
    const { token, session } = await opened();
    const answers: string[] = [];
    const endedSessions = new Map<string, number>();
    shareSessions({ endedSessions, endSession: async (id) => void answers.push(id) });
    expect(await readSession(token, KEYS, NOW_S)).toBeDefined();
    endedSessions.set(session.id, NOW_S + 60);
    expect(await readSession(token, KEYS, NOW_S)).toBeUndefined();
    const { session: here } = await opened();
    await endSession(here, NOW_S);
    expect(answers).toEqual([here.id]);
    shareSessions(undefined);
  });

  it('ends when the password changes, or the secret', async () => {
    const { token } = await opened();
    expect(await readSession(token, { ...KEYS, password: 'another' }, NOW_S)).toBeUndefined();
    const other = { ...KEYS, sessionSecret: 'another secret of more than 32 characters' };
    expect(await readSession(token, other, NOW_S)).toBeUndefined();
  });

  it('contains neither the password nor the secret', async () => {
    const { token } = await opened();
    const text = JSON.stringify(decodeJwt(token));
    expect(text).not.toContain(KEYS.password);
    expect(text).not.toContain(KEYS.sessionSecret);
  });
});

describe('a token', () => {
  it('is refused without a signature, or with another signature', async () => {
    const { token } = await opened();
    const claims = decodeJwt(token);
    const unsigned = new UnsecuredJWT(claims).encode();
    const key = new TextEncoder().encode(KEYS.password.padEnd(32));
    const foreign = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key);
    for (const forged of [unsigned, foreign, '', 'a.b.c']) {
      expect(await readSession(forged, KEYS, NOW_S)).toBeUndefined();
    }
  });

  it('is refused after a change of any character', async () => {
    const { token } = await opened();
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 2), fc.constantFrom('A', 'z', '9', '_'), async (at, other) => {
        fc.pre(token[at] !== other);
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        expect(await readSession(changed, KEYS, NOW_S)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });
});
