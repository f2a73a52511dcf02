import { connect, type Socket } from 'node:net';
import type { RunningServer } from '../../src/server/server.ts';

/** A connection that keeps what comes. */
export class RawConnection {
  readonly socket: Socket;
  readonly ended: Promise<string>;
  text = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    this.ended = new Promise((resolve) => socket.once('close', () => resolve(this.text)));
    socket.on('error', () => {});
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.text += chunk;
    });
  }

  static async open({ port }: Pick<RunningServer, 'port'>): Promise<RawConnection> {
    const socket = connect(port, '127.0.0.1');
    const connection = new RawConnection(socket);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return connection;
  }

  write(bytes: string): void {
    if (!this.socket.destroyed) this.socket.write(bytes, 'latin1');
  }

  /** Status codes of the answers so far. */
  get statuses(): readonly number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  /** Its length does not matter here: the body of the last answer. */
  get body(): string {
    return this.text.slice(this.text.lastIndexOf('\r\n\r\n') + 4);
  }
}
