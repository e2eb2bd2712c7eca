/** What a request shows, not yet believed. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' } // a header that is no credential of ours
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'embed'; readonly token: string };
