import { Alert, Code, List, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode, Ref } from 'react';
import type { ApplicationRequest } from '../app/api-types.ts';
import { IconAlertTriangle } from '../components/icons.tsx';
import { describeTarget, listWarnings } from './application-texts.ts';
import { VerificationBadge } from './verification-badge.tsx';

export interface ApplicationFactsProps {
  readonly request: ApplicationRequest;
  readonly host: Ref<HTMLElement>; // where the browser will be sent
}

/** Who asks: what is verified, what is only claimed, and where the browser will be sent. */
export function ApplicationFacts({ request, host }: ApplicationFactsProps) {
  const { application, redirect } = request;
  const warnings = listWarnings(request);
  return (
    <Stack gap="sm">
      <Paper withBorder p="sm" component="section" aria-label="Application">
        <Stack gap="sm">
          <Fact label="Application">
            {/* untrusted text: isolated, and clipped so that stacked marks do not overlap other lines */}
            <Text fw={600} component="div" style={{ overflowWrap: 'anywhere', overflow: 'hidden' }}>
              “<bdi data-testid="application-name">{application.name}</bdi>”
            </Text>
            <VerificationBadge application={application} />
          </Fact>
          <Fact label={describeTarget(redirect.kind)}>
            <Code ref={host} fz="md" fw={600} style={{ overflowWrap: 'anywhere' }} data-testid="redirect-host">
              {redirect.host}
            </Code>
          </Fact>
        </Stack>
      </Paper>
      {warnings.length > 0 && (
        <Alert role="note" color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Allow only what you started yourself">
          {warnings.length === 1 ? (
            warnings[0]
          ) : (
            <List size="sm" spacing={4}>
              {warnings.map((text) => (
                <List.Item key={text}>{text}</List.Item>
              ))}
            </List>
          )}
        </Alert>
      )}
    </Stack>
  );
}

const Fact = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <Stack gap={4} align="flex-start">
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    {children}
  </Stack>
);
