import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onPath, run } from './commands.ts';
import { ServiceMissing } from './debian.ts';
import type { Service } from './it-with.ts';

/** Files in PEM form. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Key and certificate in one file, as a broker takes them. */
  readonly both: string;
}

export interface CertificateOptions {
  /** Common name. */
  readonly name: string;
  /** What it is for: `DNS:localhost,IP:127.0.0.1`. */
  readonly hosts?: string;
  /** It ended long ago. */
  readonly expired?: boolean;
  /** It begins in years. */
  readonly early?: boolean;
  /** Signed by itself, and by nobody else. */
  readonly selfSigned?: boolean;
  /** Of the key. */
  readonly passphrase?: string;
}

export const OPENSSL: Service<string> = {
  name: 'openssl',
  get: async () => {
    const found = onPath('openssl', process.env['PATH'] ?? '');
    if (found === undefined) throw new ServiceMissing('there is no openssl on the PATH');
    return found;
  },
};

/** An authority of our own, which signs certificates into a temporary folder. @throws ServiceMissing */
export class Authority {
  readonly #program: string;
  readonly #folder: string;
  #serial = 1;

  static async make(name = 'receval test authority'): Promise<Authority> {
    const authority = new Authority(await OPENSSL.get());
    await authority.#run(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${name}`, '-keyout', 'ca.key', '-out', 'ca.pem'],
    );
    return authority;
  }

  private constructor(program: string) {
    this.#program = program;
    this.#folder = mkdtempSync(join(tmpdir(), 'receval-certificates-'));
    mkdirSync(join(this.#folder, 'signed'));
    writeFileSync(join(this.#folder, 'index.txt'), '');
    const policy =
      '[own]\ndatabase=index.txt\nnew_certs_dir=signed\ndefault_md=sha256\npolicy=any\nunique_subject=no\nrand_serial=yes\n';
    writeFileSync(join(this.#folder, 'ca.conf'), `[ca]\ndefault_ca=own\n${policy}[any]\ncommonName=supplied\n`);
  }

  /** The file with its own certificate. */
  get ca(): string {
    return join(this.#folder, 'ca.pem');
  }

  async sign({
    name,
    hosts,
    expired = false,
    early = false,
    selfSigned = false,
    passphrase,
  }: CertificateOptions): Promise<Certificate> {
    const base = `${this.#serial++}`;
    const path = (ending: string): string => join(this.#folder, `${base}.${ending}`);
    await this.#run(
      ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-subj', `/CN=${name}`],
      ...(passphrase === undefined ? ['-nodes'] : ['-passout', `pass:${passphrase}`]),
      ...['-keyout', path('key'), '-out', path('csr')],
    );
    writeFileSync(path('ext'), hosts === undefined ? 'basicConstraints=CA:FALSE\n' : `subjectAltName=${hosts}\n`);
    const now = Date.now();
    let [from, to] = [utc(now, -1), utc(now, 2)];
    if (expired) [from, to] = ['20200101000000Z', '20200201000000Z'];
    if (early) [from, to] = [utc(now, 1000), utc(now, 2000)];
    const signer = selfSigned ? ['-selfsign', '-keyfile', path('key')] : ['-cert', 'ca.pem', '-keyfile', 'ca.key'];
    await this.#run(
      ...['ca', '-batch', '-notext', '-config', 'ca.conf', ...signer],
      ...['-startdate', from, '-enddate', to, '-extfile', path('ext'), '-in', path('csr'), '-out', path('pem')],
    );
    writeFileSync(path('both'), readFileSync(path('key'), 'utf8') + readFileSync(path('pem'), 'utf8'));
    return { cert: path('pem'), key: path('key'), both: path('both') };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await run(this.#program, args, { cwd: this.#folder });
    if (code !== 0) throw new Error(`openssl ${args.join(' ')}:\n${stderr}`);
  }
}

/** So many days from then, as certificates write it. */
function utc(then: number, days: number): string {
  return `${new Date(then + days * 86_400_000).toISOString().replace(/[-:T]|\..*/g, '')}Z`;
}
