import type { AlertHappening } from './alert-watch';
import { alertText } from './alert-words';

/** Two short notes; rising, so that it is told from the sounds of other programs. */
const NOTES_HZ = [660, 880];
const NOTE_S = 0.14;
const LOUDNESS = 0.12;

let context: AudioContext | undefined;

/**
 * Plays the sound of an alert. Browsers play nothing before the first click or key on a page: until then it stays silent
 * without an attempt, since that would only be complained about. @returns whether it sounded
 */
export function soundAlert(): 'played' | 'silent' {
  if (navigator.userActivation?.hasBeenActive === false || typeof AudioContext === 'undefined')
    return 'silent';
  try {
    context ??= new AudioContext();
    void context.resume();
    for (const [at, hz] of NOTES_HZ.entries()) playNote(context, hz, context.currentTime + at * NOTE_S);
    return 'played';
  } catch {
    // No sound device, or too many contexts.
    return 'silent';
  }
}

/** Begins and ends at nothing, or it would crack. */
function playNote(audio: AudioContext, hz: number, atS: number): void {
  const note = audio.createOscillator();
  const loudness = audio.createGain();
  note.frequency.value = hz;
  loudness.gain.setValueAtTime(0, atS);
  loudness.gain.linearRampToValueAtTime(LOUDNESS, atS + 0.01);
  loudness.gain.linearRampToValueAtTime(0, atS + NOTE_S);
  note.connect(loudness).connect(audio.destination);
  note.start(atS);
  note.stop(atS + NOTE_S);
}

/** Shows a notification for each alert that was raised, at most three of them. Several tabs show the same one once. */
export function notifyAlerts(happenings: readonly AlertHappening[]): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  for (const { alert } of happenings.slice(0, 3)) {
    try {
      const notice = new Notification(alertText(alert), {
        body: 'Keeperscope feeds',
        tag: `keeperscope-alert-${alert.id}`,
      });
      notice.onclick = () => window.focus();
    } catch {
      // Phones allow them from service workers only.
    }
  }
}
