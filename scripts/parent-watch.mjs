import { fstatSync, readFileSync, statSync } from 'node:fs';

/** How often the ancestors are looked at, in ms: far below the ten seconds in which everything must have ended. */
const EVERY_MS = 1000;

/** State, parent, process group and start of a process, from Linux's /proc (proc(5), stat); else undefined. */
export function kinOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], parent: Number(fields[1]), group: Number(fields[2]), started: fields[19] };
  } catch {
    return undefined;
  }
}

/** Whether a shell command puts jobs into the background: an `&` that is not `&&` and no part of a redirection. */
export function startsJobs(command) {
  return /(^|[^&<>])&(?![&>])/.test(command);
}

/** The text of `sh -c text`; undefined for a shell that reads a script or a terminal. */
function commandOf(shell) {
  const words = readFileSync(`/proc/${shell}/cmdline`, 'utf8').split('\0');
  const at = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at < 0 ? undefined : words[at + 1];
}

/** A job in the background reads from the null device. Where everything does, what the shell was told decides. */
function inBackground(shell) {
  try {
    if (fstatSync(0).rdev !== statSync('/dev/null').rdev) return false;
    const command = commandOf(shell);
    return command === undefined || startsJobs(command);
  } catch {
    return true;
  }
}

/** Stops when npm, or the shell that runs it in its foreground, is gone without a signal: no orphan holds the port. */
export function stopWithParent(stop) {
  if (!process.env.npm_lifecycle_event) return;
  const npm = process.ppid;
  const kin = kinOf(npm);
  const shell =
    kin && kin.parent > 1 && kin.group !== npm && !inBackground(kin.parent) ? kin.parent : undefined;
  const timer = setInterval(() => {
    if (process.ppid === npm && (shell === undefined || kinOf(npm)?.parent === shell)) return;
    clearInterval(timer);
    stop();
  }, EVERY_MS);
  timer.unref();
}
