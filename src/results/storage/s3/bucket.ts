import type { CompletedPart, GetObjectCommandOutput, S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { mapAtOnce } from '../../../core/concurrency/map-at-once.ts';
import { ObjectStoreError } from '../object-store-error.ts';

export interface BucketOptions {
  readonly bucket: string;
  readonly prefix: string; // of all keys; empty, or ends with a slash
  readonly endpoint: string | null; // null: Amazon
  readonly region: string;
  readonly forcePathStyle: boolean;
}

export interface StoredObject {
  readonly body: Buffer;
  readonly ageMs: number; // by the clock of the store, so that the clocks of replicas do not matter
}

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

export type Bucket = Awaited<ReturnType<typeof openBucket>>;
export type ObjectUpload = ReturnType<Bucket['upload']>;

/**
 * Objects under a prefix of one bucket. Every method rejects with ObjectStoreError, after several attempts. Loads the client and connects to
 * nothing yet. Credentials come from the usual chain of AWS: environment, profile, role.
 */
export async function openBucket({ bucket, prefix, endpoint, region, forcePathStyle }: BucketOptions) {
  const s3 = await import('@aws-sdk/client-s3');
  const options: S3ClientConfig = {
    region,
    forcePathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    maxAttempts: 6,
    requestChecksumCalculation: 'WHEN_REQUIRED', // S3-compatible servers refuse checksums in trailers
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 15_000, throwOnRequestTimeout: true },
  };
  const client = new s3.S3Client(options);
  const prober = new s3.S3Client({ ...options, maxAttempts: 1 });
  keepDates(client);
  const locationOf = (key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` });
  const place = `s3://${bucket}/${prefix}${endpoint === null ? '' : ` at ${new URL(endpoint).origin}`}`;

  async function attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ObjectStoreError ? error : new ObjectStoreError(place, error);
    }
  }

  async function* chunksOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw new ObjectStoreError(place, error);
    }
  }

  /** The client repeats requests, but not responses that break off. */
  async function readWhole(key: string, range?: string): Promise<StoredObject | null> {
    for (let attempts = 1; ; attempts++) {
      const found = await getIfPresent(key, range);
      if (found === null) return null;
      try {
        return { body: await bytesOf(found), ageMs: ageOf(found) };
      } catch (error) {
        if (attempts === mostBrokenResponses) throw error;
      }
    }
  }

  async function getIfPresent(key: string, range?: string): Promise<GetObjectCommandOutput | null> {
    try {
      return await client.send(new s3.GetObjectCommand({ ...locationOf(key), ...(range === undefined ? {} : { Range: range }) }));
    } catch (error) {
      if (error instanceof s3.NoSuchKey) return null;
      throw error;
    }
  }

  return {
    put: (key: string, body: Buffer | string): Promise<void> =>
      attempt(async () => void (await client.send(new s3.PutObjectCommand({ ...locationOf(key), Body: body })))),

    /** Overwrites one small object, without further attempts; rejects if the store cannot be written. */
    probe: (abortSignal: AbortSignal): Promise<void> =>
      attempt(
        async () => void (await prober.send(new s3.PutObjectCommand({ ...locationOf('probe'), Body: 'probe' }), { abortSignal })),
      ),

    get: (key: string): Promise<StoredObject | null> => attempt(() => readWhole(key)),

    /** The bytes from `start` up to but excluding `end`; fewer if the object is shorter, null if it is missing. */
    getRange: (key: string, start: number, end: number): Promise<Buffer | null> =>
      attempt(async () => {
        try {
          return (await readWhole(key, `bytes=${start}-${end - 1}`))?.body ?? null;
        } catch (error) {
          if (error instanceof Error && error.name === 'InvalidRange') return Buffer.alloc(0);
          throw error;
        }
      }),

    /** Null if the object is missing or does not have this size. */
    stream: (key: string, size: number, start: number, end: number): Promise<AsyncIterable<Uint8Array> | null> =>
      attempt(async () => {
        if (start >= end) return emptyStream();
        const found = await getIfPresent(key, `bytes=${start}-${end - 1}`);
        if (found === null || found.Body === undefined) return null;
        const body = found.Body;
        if (found.ContentRange?.endsWith(`/${size}`) === true) return chunksOf(body as AsyncIterable<Uint8Array>);
        await body.transformToByteArray(); // frees the connection
        return null;
      }),

    readModifiedAt: (key: string): Promise<number | null> =>
      attempt(async () => {
        try {
          const found = await client.send(new s3.HeadObjectCommand(locationOf(key)));
          return found.LastModified?.getTime() ?? null;
        } catch (error) {
          if (error instanceof s3.NotFound) return null;
          throw error;
        }
      }),

    list: (under: string): Promise<readonly ListedObject[]> =>
      attempt(async () => {
        const listed: ListedObject[] = [];
        const pages = s3.paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: `${prefix}${under}` });
        for await (const { Contents = [] } of pages) {
          for (const { Key = '', Size = 0, LastModified } of Contents) {
            listed.push({ key: Key.slice(prefix.length), bytes: Size, modifiedAt: LastModified?.getTime() ?? 0 });
          }
        }
        return listed;
      }),

    /** Missing ones count as removed. One by one, because not every S3-compatible server can remove several. */
    remove: (keys: readonly string[]): Promise<void> =>
      attempt(async () => {
        await mapAtOnce(keys, REMOVED_AT_ONCE, (key) => client.send(new s3.DeleteObjectCommand(locationOf(key))));
      }),

    /** Content of one object that arrives in pieces; it becomes visible when it is complete. */
    upload(key: string) {
      let uploadId: string | undefined;
      let pending: Uint8Array[] = [];
      let pendingBytes = 0;
      const parts: CompletedPart[] = [];
      const sendPart = async () => {
        const Body = Buffer.concat(pending);
        pending = [];
        pendingBytes = 0;
        uploadId ??= (await client.send(new s3.CreateMultipartUploadCommand(locationOf(key)))).UploadId;
        const PartNumber = parts.length + 1;
        const sent = await client.send(new s3.UploadPartCommand({ ...locationOf(key), UploadId: uploadId, PartNumber, Body }));
        parts.push({ PartNumber, ETag: sent.ETag });
      };
      return {
        append: (bytes: Uint8Array): Promise<void> =>
          attempt(async () => {
            pending.push(Uint8Array.from(bytes)); // the encoder may reuse its buffer
            pendingBytes += bytes.length;
            if (pendingBytes >= partBytes) await sendPart();
          }),
        complete: (): Promise<void> =>
          attempt(async () => {
            if (uploadId === undefined) {
              await client.send(new s3.PutObjectCommand({ ...locationOf(key), Body: Buffer.concat(pending) }));
              return;
            }
            if (pendingBytes > 0) await sendPart();
            const MultipartUpload = { Parts: parts };
            await client.send(new s3.CompleteMultipartUploadCommand({ ...locationOf(key), UploadId: uploadId, MultipartUpload }));
          }),
        /** Never rejects. */
        async abort(): Promise<void> {
          pending = [];
          if (uploadId === undefined) return;
          await client
            .send(new s3.AbortMultipartUploadCommand({ ...locationOf(key), UploadId: uploadId }))
            .catch(() => undefined);
        },
      };
    },

    /** An address that returns the object to anyone for `seconds`, with these headers. */
    signUrl: (key: string, seconds: number, { type, disposition }: { readonly type: string; readonly disposition: string }) =>
      attempt(async () => {
        const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
        const headers = { ResponseContentType: type, ResponseContentDisposition: disposition };
        return getSignedUrl(client, new s3.GetObjectCommand({ ...locationOf(key), ...headers }), { expiresIn: seconds });
      }),
  };
}

const mostBrokenResponses = 4;
const REMOVED_AT_ONCE = 8;
const partBytes = 8 << 20; // S3 accepts parts from 5 MiB on, at most 10,000 of them

const bytesOf = async ({ Body }: GetObjectCommandOutput): Promise<Buffer> => {
  const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

async function* emptyStream(): AsyncGenerator<Uint8Array> {}

const dates = new WeakMap<object, number>(); // the Date header by the metadata of a response

/** The client does not return the header. */
function keepDates(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const { headers } = result.response as { readonly headers?: Readonly<Record<string, string>> };
      const date = Date.parse(headers?.date ?? '');
      if (Number.isFinite(date) && result.output) dates.set(result.output.$metadata, date);
      return result;
    },
    { step: 'deserialize', priority: 'high', name: 'keepDates' },
  );
}

/** Zero if the store sends no times: a drain then counts as alive until its end mark. */
function ageOf({ $metadata, LastModified }: GetObjectCommandOutput): number {
  const date = dates.get($metadata);
  return date === undefined || LastModified === undefined ? 0 : Math.max(0, date - LastModified.getTime());
}
