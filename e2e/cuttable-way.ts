import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a dashboard that a test can cut, as a network does: what is open ends, and nothing new gets through. */
export type CuttableWay = { origin: string; cut(): void; restore(): void; close(): void };

/** @param target origin of the dashboard */
export async function cuttableWay(target: string): Promise<CuttableWay> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket, other: () => Socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      other().destroy();
    });
  };
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    keep(near, () => far);
    keep(far, () => near);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      endAll();
    },
    restore: () => {
      isCut = false;
    },
    close: () => {
      server.close();
      endAll();
    },
  };
}
