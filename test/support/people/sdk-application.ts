import * as two from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface SdkClient {
  listTools(): Promise<{ tools: { name: string; inputSchema: { properties?: object | undefined } }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

export const generations = ['@modelcontextprotocol/sdk', '@modelcontextprotocol/client', 'stateless'] as const;
export type Generation = (typeof generations)[number];

export interface SdkApplicationOptions {
  readonly url: string; // all that its user enters
  readonly generation: Generation;
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  readonly headers?: Record<string, string>; // of each request to the gateway
}

const info = { name: 'client of a test', version: '1.2.3' };

/** An application that signs its user in with the official SDK. It keeps what the SDK gives it, and opens no browser itself. */
export class SdkApplication implements two.OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: two.OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  readonly #options: SdkApplicationOptions;
  #information: two.StoredOAuthClientInformation | undefined;
  #tokens: two.StoredOAuthTokens | undefined;
  #verifier = '';
  #discovered: two.OAuthDiscoveryState | undefined;
  #asked: URL | undefined;

  constructor(options: SdkApplicationOptions) {
    this.#options = options;
    this.redirectUrl = options.redirectUrl;
    this.clientMetadata = { client_name: 'Assistant', redirect_uris: [options.redirectUrl] };
    if (options.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.clientMetadataUrl;
  }

  state = () => 'the state';
  clientInformation = () => this.#information;
  saveClientInformation(information: two.StoredOAuthClientInformation): void {
    this.#information = information;
  }
  tokens = () => this.#tokens;
  saveTokens(tokens: two.StoredOAuthTokens): void {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.#asked = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier = () => this.#verifier;
  saveDiscoveryState(state: two.OAuthDiscoveryState): void {
    this.#discovered = state;
  }
  discoveryState = () => this.#discovered;
  invalidateCredentials(scope: string): void {
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined;
    if (scope === 'all' || scope === 'client') this.#information = undefined;
  }

  /** Connects with what it has; the address to open in a browser if its user has to sign in. */
  async connect(): Promise<SdkClient | URL> {
    this.#asked = undefined;
    try {
      return await this.#open();
    } catch (error) {
      return this.asked(error);
    }
  }

  /** The address that the user has to open after this error. */
  asked(error: unknown): URL {
    const isUnauthorized = error instanceof UnauthorizedError || error instanceof two.UnauthorizedError;
    if (!isUnauthorized || this.#asked === undefined) throw error;
    return this.#asked;
  }

  /** The browser came back with these parameters. */
  async finish(parameters: URLSearchParams): Promise<void> {
    const transport = this.#transport();
    if (transport instanceof two.StreamableHTTPClientTransport) await transport.finishAuth(parameters);
    else await transport.finishAuth(parameters.get('code') ?? '');
  }

  #transport(): StreamableHTTPClientTransport | two.StreamableHTTPClientTransport {
    const url = new URL(this.#options.url);
    // the types of the SDK do not support exactOptionalPropertyTypes
    const options = { authProvider: this, requestInit: { headers: this.#options.headers ?? {} } } as object;
    return this.#options.generation === '@modelcontextprotocol/sdk'
      ? new StreamableHTTPClientTransport(url, options)
      : new two.StreamableHTTPClientTransport(url, options);
  }

  async #open(): Promise<SdkClient> {
    const transport = this.#transport();
    if (!(transport instanceof two.StreamableHTTPClientTransport)) {
      const client = new Client(info);
      await client.connect(transport as Parameters<Client['connect']>[0]);
      return client;
    }
    const isStateless = this.#options.generation === 'stateless';
    const client = new two.Client(info, isStateless ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {});
    await client.connect(transport);
    return client;
  }
}
