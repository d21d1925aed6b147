import { describe, expect, it } from 'vitest';
import { settle } from '@/lib/core/timers-fixture';
import { A, scriptedHub, serviceDown, updateBody } from './stream-fixtures';

async function onTwoHosts() {
  const scripted = scriptedHub({ hosts: ['updates', 'upgraded'] });
  const { timers, send, opened, service } = scripted;
  const page = scripted.watch([A]);
  await timers.advance(1_000);
  await send([A, 1, 1]);
  const breakMain = async () => {
    service.downHosts.add('updates');
    opened.at(-1)?.stream.break();
    await settle();
  };
  /** Lets time pass while every open stream stays alive. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      for (const { stream } of opened) if (!stream.closed) stream.send(':\n\n');
      await timers.advance(1_000);
    }
  };
  const openHosts = () => opened.filter(({ stream }) => !stream.closed).map(({ host }) => host);
  return { ...scripted, page, breakMain, pass, openHosts };
}

describe('the host of the pages', () => {
  it('is the second one when the first stays down, as the connection shows', async () => {
    const { breakMain, pass, openHosts, hub, watch } = await onTwoHosts();
    await breakMain();
    await pass(15_000 + 1_000);
    expect(openHosts()).toEqual(['upgraded']);
    expect(hub.stats.upstreamStreams).toBe(1);
    const late = watch([A]);
    await settle();
    expect(late.readData('snapshot')[0]).toContain('upgraded');
  });

  it('stays the same through a shorter restart, and without a second host', async () => {
    const { breakMain, pass, service, openHosts, attempts } = await onTwoHosts();
    await breakMain();
    await pass(5_000);
    service.downHosts.clear();
    await pass(60_000);
    expect([openHosts(), new Set(attempts)]).toEqual([['updates'], new Set(['updates'])]);
    const alone = scriptedHub();
    alone.watch([A]);
    await alone.timers.advance(1_000);
    alone.service.open = serviceDown;
    alone.opened[0]?.stream.break();
    await alone.timers.advance(120_000);
    expect(new Set(alone.attempts)).toEqual(new Set(['updates']));
  });

  it('goes back when the first one works, opening the new stream before it drops the old one', async () => {
    const { breakMain, pass, service, openHosts, opened, page, send } = await onTwoHosts();
    await breakMain();
    await pass(15_000 + 1_000);
    service.downHosts.clear();
    page.sink.readEvents();
    await pass(30_000 * 1.5);
    expect(openHosts()).toEqual(['updates']);
    expect(page.readData('connection').some((text) => text.startsWith('reconnecting'))).toBe(false);
    await send([A, 2, 2]);
    expect(page.readData('update')).toEqual(['a=2@2']);
    expect(opened.filter(({ host }) => host === 'upgraded')).toHaveLength(1);
  });

  it('retries the first one with backoff when it keeps failing again', async () => {
    const { breakMain, pass, service, attempts, opened } = await onTwoHosts();
    const waits: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await breakMain();
      await pass(15_000 + 1_000);
      service.downHosts.clear();
      attempts.length = 0;
      let waited = 0;
      for (; !attempts.includes('updates'); waited += 1) await pass(1_000);
      waits.push(waited);
      await pass(2_000);
      expect(opened.at(-1)?.host).toBe('updates');
    }
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits.at(-1)).toBeGreaterThan(100);
  });

  it('is the first one again when the second goes down too, with one attempt at a time', async () => {
    const { breakMain, pass, service, opened, attempts, timers } = await onTwoHosts();
    await breakMain();
    await pass(15_000 + 1_000);
    service.downHosts.add('upgraded');
    opened.at(-1)?.stream.break();
    await timers.advance(600_000);
    expect(attempts.length).toBeLessThan(60);
    service.downHosts.delete('updates');
    await pass(300_000);
    expect(opened.at(-1)?.host).toBe('updates');
  });

  it.each(['in good order', 'by a reset'])(
    'is the second one when the first opens each stream and ends it at once, %s, even with a price',
    async (manner) => {
      const { timers, opened } = await onTwoHosts();
      for (let second = 2; second < 120; second += 1) {
        for (const { host, stream } of opened) {
          if (stream.closed) continue;
          stream.send(`data: ${updateBody([A, second, second])}\n\n`);
          if (host === 'updates' && manner === 'in good order') stream.end();
          else if (host === 'updates') stream.break();
        }
        await timers.advance(1_000);
        if (opened.at(-1)?.host === 'upgraded') break;
      }
      expect(opened.at(-1)?.host).toBe('upgraded');
    },
  );

  it('stays the same while each stream lasts a few seconds, however often the service closes it', async () => {
    const { timers, opened, attempts } = await onTwoHosts();
    for (let second = 2; second < 120; second += 1) {
      for (const { stream } of opened) {
        if (!stream.closed) stream.send(`data: ${updateBody([A, second, second])}\n\n`);
        if (second % 5 === 0) stream.end();
      }
      await timers.advance(1_000);
    }
    expect(new Set(attempts)).toEqual(new Set(['updates']));
  });

  it('is the first one again after a time without watchers', async () => {
    const { breakMain, pass, page, watch, timers, service, opened } = await onTwoHosts();
    await breakMain();
    await pass(15_000 + 1_000);
    page.leave();
    await timers.advance(30_000 + 1_000);
    service.downHosts.clear();
    watch([A]);
    await timers.advance(1_000);
    expect(opened.at(-1)?.host).toBe('updates');
    opened.at(-1)?.stream.send(`data: ${updateBody([A, 3, 3])}\n\n`);
    await settle();
  });
});
