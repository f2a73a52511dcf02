/**
 * Leads from sockets in a folder, PORT.sock each, to ports of the loopback address of the network that it is started in: a path
 * is reached from other networks, too. Arguments: the folder, ports.
 */
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const [folder = '.', ...ports] = process.argv.slice(2);
for (const port of ports) {
  const server = createServer({ allowHalfOpen: true }, (inside) => {
    const outside = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
    inside.pipe(outside).pipe(inside);
  });
  server.listen(join(folder, `${port}.sock`));
}
