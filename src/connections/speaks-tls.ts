import { connect } from 'node:tls';

/** Whether what listens there answers a TLS handshake, whatever its certificate. Never rejects. `timeout` in ms. */
export function speaksTls(host: string, port: number, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Nothing is sent over it: which certificate it shows does not matter here.
    const socket = connect({ host, port, rejectUnauthorized: false });
    const end = (speaks: boolean) => (): void => {
      socket.destroy();
      resolve(speaks);
    };
    socket.setTimeout(timeout, end(false));
    socket.once('secureConnect', end(true));
    // An alert is an answer too: it may want a certificate of ours.
    socket.on('error', (error) => end(/alert/.test(error.message))());
    socket.once('close', end(false));
  });
}
