import { spawn } from 'node:child_process';
import { say } from './project.mjs';

/** What a shell says of a process that ended by a signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };
/** npm finishes its requests first when it is told to end, which can take half a minute. */
const PATIENCE_MS = 3000;

/**
 * Runs a command to its end with its output on standard error, passing SIGINT and SIGTERM on.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} its exit code; after a signal this process ends as well
 */
export function runCommand(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 2, 2], ...options });
    let asked;
    const pass = (signal) => {
      asked = signal;
      child.kill(signal);
      setTimeout(() => {
        child.kill('SIGKILL');
        process.exit(EXIT_CODES[signal]);
      }, PATIENCE_MS).unref();
    };
    process.on('SIGINT', pass);
    process.on('SIGTERM', pass);
    const ended = (code) => {
      process.off('SIGINT', pass);
      process.off('SIGTERM', pass);
      resolve(code);
    };
    child.on('error', (error) => {
      say(`${command} could not be started: ${error.message}`);
      ended(127);
    });
    child.on('exit', (code, signal) => {
      const ending = EXIT_CODES[asked ?? signal];
      if (ending !== undefined) process.exit(ending);
      ended(code ?? 1);
    });
  });
}
