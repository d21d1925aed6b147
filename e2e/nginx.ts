import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Nginx = { stop(): Promise<void> };

const PLACES = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx'];

/** Undefined without nginx, or without openssl for a certificate. */
export function findNginx(): string | undefined {
  const works = (command: string, arg: string) => spawnSync(command, [arg]).status === 0;
  return works('openssl', 'version') ? PLACES.find((place) => works(place, '-v')) : undefined;
}

export function configurationOfDocs(): string {
  const [, text] = /```nginx\n([\s\S]*?)```/.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];
  if (text === undefined) throw new Error('docs/operations.md has no configuration of nginx');
  return text;
}

/** A configuration like Debian's nginx.conf, with other paths and nothing about proxies. */
function whole(folder: string, servers: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  return `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 768; }
http {
  access_log off; ${places}
  sendfile on; tcp_nopush on; types_hash_max_size 2048; default_type application/octet-stream; gzip on;
  ssl_protocols TLSv1.2 TLSv1.3; ssl_prefer_server_ciphers on;
  ${servers}
}
`;
}

/** A certificate for this machine, users and a secret, which a configuration names. */
export class NginxFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'keeperscope-nginx-'));

  constructor() {
    // The workers run as another user than the master.
    chmodSync(this.path, 0o755);
  }

  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  certificate(): { certificate: string; key: string } {
    const certificate = join(this.path, 'tls.crt');
    const key = join(this.path, 'tls.key');
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync(
      'openssl',
      [...made, '-days', '2', '-subj', '/CN=localhost', '-keyout', key, '-out', certificate],
      {
        stdio: 'ignore',
      },
    );
    return { certificate, key };
  }

  /** Waits until nginx listens. `servers` is the content of `http {}`. */
  async start(nginx: string, servers: string, port: number): Promise<Nginx> {
    const file = this.write('nginx.conf', whole(this.path, servers));
    const child = spawn(nginx, ['-c', file, '-p', this.path, '-e', join(this.path, 'error.log')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    child.stderr.on('data', (chunk) => (output += chunk));
    while (!(await listens(port))) {
      if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${output}`);
    }
    return { stop: () => this.#stop(child) };
  }

  async #stop(child: ChildProcess): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    rmSync(this.path, { recursive: true, force: true });
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => setTimeout(() => resolve(false), 50));
  });
}
