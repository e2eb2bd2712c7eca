import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageHeader } from '../components/page-header.tsx';

export function NotFoundPage() {
  return (
    <Stack>
      <PageHeader title="There is no such page" />
      <Text>
        The address may be old or mistyped.{' '}
        <Anchor renderRoot={(props) => <Link to="/" {...props} />}>Go to the home page</Anchor>, or find any page or query with
        Ctrl K.
      </Text>
    </Stack>
  );
}
