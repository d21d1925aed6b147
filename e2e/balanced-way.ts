import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to several dashboards, as a balancer makes one: each connection goes to the first of them that takes it. */
export type BalancedWay = { origin: string; close(): void };

/** @param targets origins of the dashboards, the preferred one first; read anew for each connection */
export async function balancedWay(targets: () => readonly string[]): Promise<BalancedWay> {
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
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
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
