import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '../../access/key-ring.ts';
import { deriveKey } from '../../access/secret-box.ts';

export type RefreshTokens = ReturnType<typeof createRefreshTokens>;

const TOKEN_BYTES = 32;

/** Refresh tokens name their grant and are signed: one that is signed but not stored was used before, however long ago. */
export function createRefreshTokens(keys: KeyRing) {
  const signing = keys.each((secret) => deriveKey(secret, 'refresh tokens'));
  const sign = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return {
    create(grantId: string): string {
      const text = `${grantId}~${randomBytes(TOKEN_BYTES).toString('base64url')}`;
      return `${text}~${sign(signing.newest(), text)}`;
    },
    /** The grant of a token that was issued here; null: it was not. */
    grantIdOf(token: string): string | null {
      const end = token.lastIndexOf('~');
      const [text, signature] = [token.slice(0, end), Buffer.from(token.slice(end + 1))];
      return signing.find((key) => {
        const expected = Buffer.from(sign(key, text));
        const isSigned = signature.length === expected.length && timingSafeEqual(signature, expected);
        return isSigned ? text.slice(0, text.indexOf('~')) : null;
      });
    },
  };
}
