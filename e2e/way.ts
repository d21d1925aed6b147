import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to dashboards, as a network or a balancer makes one: `cut` ends what is open, as when a cable is pulled. */
export type Way = { origin: string; cut(): void; close(): void };

/**
 * Each connection goes to the first of the dashboards that takes it; where there is none it ends.
 * @param targets their origins, the preferred one first; read anew for each connection
 */
export async function wayTo(targets: () => readonly string[]): Promise<Way> {
  const open = new Set<Socket>();
  const keep = (socket: Socket, other: Socket) => {
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
      keep(near, far);
      keep(far, near);
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
