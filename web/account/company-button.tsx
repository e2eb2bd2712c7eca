import { Button, Divider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../app/api.ts';

/** Shown only if single sign-on is configured. */
export function CompanyButton({ next }: { readonly next: string }) {
  const { data } = useQuery({
    queryKey: ['session-options'],
    queryFn: ({ signal }) => call('GET /api/v1/session/options', {}, { signal }),
    retry: false,
  });
  const company = data?.company ?? null;
  if (company === null) return null;
  return (
    <>
      <Button component="a" href={`${company.url}?${new URLSearchParams({ next })}`} fullWidth>
        Sign in with {company.name}
      </Button>
      <Divider label="or with a local account" labelPosition="center" />
    </>
  );
}
