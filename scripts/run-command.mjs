import { spawn } from 'node:child_process';
import { say } from './project.mjs';

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
    const pass = (signal) => child.kill(signal);
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
      if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(signal === 'SIGINT' ? 130 : 143);
      ended(code ?? 1);
    });
  });
}
