import { Badge } from '@mantine/core';
import { type Identity, verificationOf } from './application-texts.ts';

/** Whether the name of an application is verified, and by whom. */
export function VerificationBadge({ application }: { readonly application: Identity }) {
  const { text, color } = verificationOf(application);
  return (
    <Badge color={color} styles={{ root: { height: 'auto' }, label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}>
      {text}
    </Badge>
  );
}
