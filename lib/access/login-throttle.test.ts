import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Derive, PasswordGate } from './login-throttle';

const RIGHT = 'open sesame!';

const quickly: Derive = async (password, salt) => createHmac('sha256', salt).update(password).digest();

function gateWithClock(): { gate: PasswordGate; later: (s: number) => void } {
  let nowMs = 1_000_000;
  const later = (s: number) => {
    nowMs += s * 1000;
  };
  return { gate: new PasswordGate(() => nowMs, quickly), later };
}

const guess = (gate: PasswordGate, password: string, address = '10.0.0.1') =>
  gate.check(password, RIGHT, address);

async function fail(gate: PasswordGate, times: number, address?: string): Promise<void> {
  for (let n = 0; n < times; n += 1) await guess(gate, `wrong ${n}`, address);
}

it('distinguishes the right password from wrong ones', async () => {
  const gate = new PasswordGate();
  expect(await guess(gate, RIGHT)).toEqual({ ok: true, value: true });
  for (const wrong of ['', 'open sesame', `${RIGHT} `, RIGHT.toUpperCase(), '\0']) {
    expect(await guess(gate, wrong, `10.1.0.${wrong.length}`)).toEqual({ ok: true, value: false });
  }
});

it('delays an address after five wrong passwords, each time for twice as long', async () => {
  const { gate, later } = gateWithClock();
  await fail(gate, 5);
  const waits: (number | undefined)[] = [];
  for (let n = 0; n < 4; n += 1) {
    const answer = await guess(gate, 'wrong');
    const waitS = answer.ok ? undefined : answer.failure.retryAfterS;
    waits.push(waitS);
    later(waitS ?? 0);
    await guess(gate, 'wrong');
  }
  expect(waits).toEqual([1, 2, 4, 8]);
});

it('delays the right password too, and accepts it afterwards', async () => {
  const { gate, later } = gateWithClock();
  await fail(gate, 5);
  expect(await guess(gate, RIGHT)).toMatchObject({
    ok: false,
    failure: { kind: 'too-many', retryAfterS: 1 },
  });
  later(1);
  expect(await guess(gate, RIGHT)).toEqual({ ok: true, value: true });
  await fail(gate, 4);
  expect(await guess(gate, 'wrong')).toEqual({ ok: true, value: false });
});

it('delays for at most a quarter of an hour, and no other address', async () => {
  const { gate, later } = gateWithClock();
  await fail(gate, 5);
  for (let n = 0; n < 14; n += 1) {
    later(15 * 60);
    await guess(gate, 'wrong');
  }
  expect(await guess(gate, 'wrong')).toMatchObject({ failure: { retryAfterS: 15 * 60 } });
  expect(await guess(gate, RIGHT, '10.0.0.2')).toEqual({ ok: true, value: true });
});

it('counts concurrent guesses like sequential ones', async () => {
  const { gate } = gateWithClock();
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(gate, `wrong ${n}`)));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(5);
});

it('accepts a known password of a program without running scrypt', async () => {
  let derived = 0;
  const gate = new PasswordGate(Date.now, (password, salt) => {
    derived += 1;
    return quickly(password, salt);
  });
  await guess(gate, RIGHT);
  const before = derived;
  for (let n = 0; n < 3; n += 1) expect(await guess(gate, RIGHT)).toEqual({ ok: true, value: true });
  expect(derived).toBe(before);
  expect(await gate.check(RIGHT, 'another one now', '10.0.0.3')).toEqual({ ok: true, value: false });
});

it('does not confirm a password during a delay, even one just sent by a program', async () => {
  const { gate } = gateWithClock();
  await guess(gate, RIGHT, '10.0.0.2');
  await fail(gate, 5);
  const answers = [await guess(gate, 'wrong'), await guess(gate, RIGHT)];
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[0]).toMatchObject({ ok: false, failure: { kind: 'too-many' } });
  expect(await guess(gate, RIGHT, '10.0.0.2')).toEqual({ ok: true, value: true });
});

it('recovers after scrypt lacked memory once', async () => {
  let isShort = true;
  const gate = new PasswordGate(Date.now, (password, salt) =>
    isShort ? Promise.reject(new Error('no memory')) : quickly(password, salt),
  );
  await expect(guess(gate, RIGHT)).rejects.toThrow('no memory');
  isShort = false;
  expect(await guess(gate, RIGHT)).toEqual({ ok: true, value: true });
});
