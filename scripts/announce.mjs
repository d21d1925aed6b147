import { get } from 'node:http';
import { json } from 'node:stream/consumers';
import { say } from './project.mjs';

/** Waits until the dashboard answers, then says where it is and what it shows. */
export async function announceWhenReady({ origin }) {
  for (;;) {
    const health = await healthOf(origin);
    if (health) return announce(origin, health);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A first answer that takes longer is asked for anew. */
const PATIENCE_MS = 2000;

/**
 * By Node's own client, whose timer and socket are held until they are done: a `fetch` to the process that it runs in
 * was seen to end neither way, and the address was never said.
 */
function healthOf(origin) {
  return new Promise((resolve) => {
    const asked = get(`${origin}/api/health`, { agent: false, timeout: PATIENCE_MS }, (response) => {
      json(response).then(
        (health) => resolve(response.statusCode === 200 ? health : undefined),
        () => resolve(undefined),
      );
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(undefined));
  });
}

function announce(origin, health) {
  say(`Keeperscope ${health.version} is at ${origin}`);
  if (process.env.ACCESS === 'open') {
    say(
      'Anyone who reaches that address sees everything (ACCESS=open). ALLOWED_HOSTS names the hosts it answers for.',
    );
  }
  if (health.source === 'sandbox') {
    say(
      'It runs on the sandbox: simulated services. To go live, set LOGS_URL, UPDATES_URL or ROUTER_URL with their keys in .env.local (see .env.example) and start again.',
    );
  }
}
