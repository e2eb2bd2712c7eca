import { list, setting, text, toggle, url } from './setting-schemas.ts';

/** `s3://bucket` or `s3://bucket/prefix`. */
const objectStore = text.regex(
  /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w!.*'()-]+)*\/?$/,
  'expected s3://bucket or s3://bucket/prefix',
);

const masterSecrets = list(',').transform((words, context) =>
  words.map((word) => {
    const bytes = Buffer.from(word, 'base64');
    const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(word);
    if (!isBase64 || bytes.length < 32)
      context.addIssue('expected at least 32 bytes as base64, as from: openssl rand -base64 32');
    return bytes;
  }),
);

/** Settings that let replicas do without a shared disk. */
export const replicaSettings = {
  secrets: setting('secret', 'SLUICE_SECRET', masterSecrets, [], {
    meaning:
      'master secrets of the installation: base64, at least 32 bytes each, separated by commas, newest first; default: a file in the data folder',
    secret: true,
  }),
  objectStore: setting('objectStore.url', 'SLUICE_OBJECT_STORE', objectStore.nullable(), null, {
    meaning:
      '`s3://bucket/prefix`, where replicas without a shared folder keep paged results and export files; default: the data folder',
  }),
  s3Endpoint: setting('objectStore.endpoint', 'SLUICE_S3_ENDPOINT', url(['http:', 'https:']).nullable(), null, {
    meaning: 'address of an S3-compatible server; default: Amazon',
  }),
  s3Region: setting('objectStore.region', 'SLUICE_S3_REGION', text, 'us-east-1', { meaning: 'region of the bucket' }),
  s3ForcePathStyle: setting('objectStore.forcePathStyle', 'SLUICE_S3_FORCE_PATH_STYLE', toggle, false, {
    meaning: '`on`: the bucket is part of the path, not of the host name; most servers other than Amazon need it',
  }),
  s3Redirect: setting('objectStore.redirect', 'SLUICE_S3_REDIRECT', toggle, false, {
    meaning: '`on`: downloads of export files are redirected to an address of the object store that is valid for a minute',
  }),
} as const;
