import { Button, Divider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../app/api.ts';

/** Where the service knows a company's sign-in; otherwise nothing, also while that is not known. */
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
      <Divider label="or with an account of this service" labelPosition="center" />
    </>
  );
}
