import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

export interface SecretBox {
  /** Bound to `context` (the row it belongs to): in another row it does not open. */
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string | null;
}

/** Derives the key for one purpose from the master secret. */
export function deriveKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, 'sluice', purpose, 32));
}

/** Maps a text to a name that cannot be computed without the secret. Names change when the secret is rotated. */
export function createKeyedName(ring: KeyRing, purpose: string): (text: string) => string {
  const keys = ring.each((secret) => deriveKey(secret, purpose));
  return (text) => createHmac('sha256', keys.newest()).update(text).digest('base64url');
}

export function createSecretBox(ring: KeyRing, purpose = 'database credentials'): SecretBox {
  const keys = ring.each((secret) => deriveKey(secret, purpose));
  return {
    seal(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keys.newest(), nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, context) {
      if (!sealed.startsWith('v1.')) return null;
      const bytes = Buffer.from(sealed.slice(3), 'base64url');
      return keys.find((key) => decrypt(bytes, key, context));
    },
  };
}

function decrypt(bytes: Buffer, key: Buffer, context: string): string | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(12, 28));
    return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}
