import { Alert } from '@mantine/core';
import type { DataLink } from '../app/wire.ts';
import { IconAlertTriangle } from '../components/icons.tsx';
import { Time } from '../components/time.tsx';
import { AddressField } from '../shares/address-field.tsx';

export interface LinkAddressProps {
  readonly link: DataLink;
  readonly isNew?: boolean; // gets the focus, because the button that created it no longer exists
}

/** The address of a data link, with a warning. */
export function LinkAddress({ link: { url, open, expiresAt }, isNew = false }: LinkAddressProps) {
  if (url === null) return null;
  const openNames = open.map((name) => `${name.replace(/^@/, '')}=…`);
  return (
    <>
      <AddressField
        label="Data link"
        {...(open.length === 0 ? {} : { description: `Readers may add ?${openNames.join('&')}` })}
        url={url}
        copyLabel="Copy link"
        hasFocus={isNew}
      />
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
        Anyone with this link can read the rows
        {expiresAt === null ? (
          '. It never expires; to end access, revoke it under Data links.'
        ) : (
          <>
            {' until '}
            <Time at={expiresAt} />.
          </>
        )}
      </Alert>
    </>
  );
}
