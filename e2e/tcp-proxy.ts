import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `cut` drops open connections, as if a cable were pulled. */
export type TcpProxy = { origin: string; cut(): void; close(): void };

/** Connects to the first of `targets()` (origins, asked for each connection) that accepts; without one it closes. */
export async function startTcpProxy(targets: () => readonly string[]): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const track = (socket: Socket, other: Socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((near) => {
    near.on('error', () => {});
    void firstThatTakes(targets()).then((far) => {
      if (far === undefined) {
        near.destroy();
        return;
      }
      track(near, far);
      track(far, near);
      near.pipe(far).pipe(near);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    close: () => {
      server.close();
      cut();
    },
  };
}

async function firstThatTakes(targets: readonly string[]): Promise<Socket | undefined> {
  for (const target of targets) {
    const { hostname, port } = new URL(target);
    const socket = connect(Number(port), hostname);
    const isTaken = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (isTaken) return socket;
  }
  return undefined;
}
