import { formatScaled, type ScaledInteger } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { formatSpan } from '@/lib/core/time';
import type { AlertCondition } from '@/lib/feeds/feed-alerts';
import type { FeedAlert } from '@/lib/watches/client/watch-list';

/** Follows a name: `price above 65,000`. */
export function conditionText(condition: AlertCondition): string {
  const number = (value: ScaledInteger) => formatScaled(value, { decimals: 'trimmed', groupSeparator: ',' });
  switch (condition.kind) {
    case 'above':
    case 'below':
      return `price ${condition.kind} ${number(condition.price)}`;
    case 'change':
      return `price moves more than ${number(condition.percent)}% within ${formatSpan(condition.windowS * 1000)}`;
    case 'wide':
      return `confidence wider than ${number(condition.bps)} bp`;
    case 'stale':
      return 'feed is stale';
  }
}

/** `BTC/USD` for `Crypto.BTC/USD`. */
export function feedShortName({ symbol }: Pick<FeedAlert, 'symbol'>): string {
  return clipped(symbol.slice(symbol.indexOf('.') + 1), 40);
}

export function alertText(alert: FeedAlert): string {
  return `${feedShortName(alert)}: ${conditionText(alert.condition)}`;
}

/** Two rising notes, which other programs rarely use. */
const NOTES_HZ = [660, 880];
const NOTE_S = 0.14;

let context: AudioContext | undefined;

/** Silent before the first click or key press on a page, because browsers block sound until then. */
export function soundAlert(): void {
  if (navigator.userActivation?.hasBeenActive === false || typeof AudioContext === 'undefined') return;
  try {
    context ??= new AudioContext();
    void context.resume();
    for (const [at, hz] of NOTES_HZ.entries()) {
      const startS = context.currentTime + at * NOTE_S;
      const note = context.createOscillator();
      const volume = context.createGain();
      note.frequency.value = hz;
      // A sudden edge clicks.
      volume.gain.setValueAtTime(0, startS);
      volume.gain.linearRampToValueAtTime(0.12, startS + 0.01);
      volume.gain.linearRampToValueAtTime(0, startS + NOTE_S);
      note.connect(volume).connect(context.destination);
      note.start(startS);
      note.stop(startS + NOTE_S);
    }
  } catch {
    // No sound device, or too many contexts are open.
  }
}
