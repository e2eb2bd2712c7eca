/** The credential that a request carries, not verified yet. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' } // an Authorization header that cannot be parsed
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'embed'; readonly token: string };
