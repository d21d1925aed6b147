import { say } from './project.mjs';

/** Waits until the dashboard answers, then says where it is and what it shows. */
export async function announceWhenReady({ origin }) {
  for (;;) {
    const health = await healthOf(origin);
    if (health) return announce(origin, health);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function healthOf(origin) {
  try {
    const response = await fetch(`${origin}/api/health`, { signal: AbortSignal.timeout(2000) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

function announce(origin, health) {
  say(`Keeperscope ${health.version} is at ${origin}`);
  if (health.source === 'sandbox') {
    say(
      'It runs on the sandbox: simulated services. To go live, set LOGS_URL, UPDATES_URL or ROUTER_URL with their keys in .env.local (see .env.example) and start again.',
    );
  }
}
