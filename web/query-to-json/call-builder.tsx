import { Alert, Button, Divider, Group, Paper, Stack, Text } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { withBasePath } from '../app/base-path.ts';
import { useSession } from '../app/session.tsx';
import type { Query } from '../app/wire.ts';
import { CodeButton } from '../client-code/code-button.tsx';
import { bringIntoView } from '../components/bring-into-view.ts';
import { errorsByField } from '../components/fields/field-errors.ts';
import { IconCode, IconPlayerPlay } from '../components/icons.tsx';
import { ParameterFields } from '../components/parameters/parameter-fields.tsx';
import { findMissing, type ParameterValues, toSentParameters } from '../components/parameters/parameter-values.ts';
import { urlOfValues, valuesFromUrl } from '../components/parameters/url-values.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { QueryPicker } from '../components/queries/query-picker.tsx';
import { CancelledNote } from '../components/run/cancelled-note.tsx';
import { keepResult } from '../components/run/last-results.ts';
import { RunStatus } from '../components/run/run-status.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { DataLinkButton } from '../data-links/data-link-button.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { type Credential, credentialProblems, isEntered, noCredential } from './credential.ts';
import { type CallShape, jsonCall } from './json-call.ts';
import { noPaging, type Paging, PagingFields, pagingField } from './paging-fields.tsx';
import { ResponseCard } from './response-card.tsx';
import { SnippetCard } from './snippet-card.tsx';
import { useTestCall } from './use-test-call.ts';

export interface CallBuilderProps {
  readonly query: Query | null; // null: not chosen yet
  readonly onPick: (query: Query | null) => void;
}

/** The fields of a call, its code snippet and its response. */
export function CallBuilder({ query, onPick }: CallBuilderProps) {
  const { parameters, queryName } = query ?? nothingChosen;
  const { session } = useSession();
  const [filters, setFilters] = useSearchParams();
  const [{ of, values }, setValues] = useState({ of: queryName, values: valuesFromUrl(parameters, filters) });
  const [credential, setCredential] = useState<Credential>(noCredential);
  const [paging, setPaging] = useState(noPaging);
  const [invalid, setInvalid] = useState<Readonly<Record<string, string>>>({});
  const [generated, setGenerated] = useState(0); // counts up, so that each press scrolls to the snippet
  const [withSecret, setWithSecret] = useState(false);
  const test = useTestCall();
  if (of !== queryName) {
    // parameters and QueryMoreCode belong to the previous query
    setValues({ of: queryName, values: valuesFromUrl(parameters, filters) });
    setPaging({ ...noPaging, rowSize: paging.rowSize });
    setInvalid({});
    setGenerated(0);
  }
  const { reset } = test;
  // removes the response of the previous query
  useEffect(reset, [queryName, reset]);
  const snippet = useRef<HTMLElement>(null);
  const result = useRef<HTMLDivElement>(null);
  const { announce, announcement } = useAnnouncement();
  useEffect(() => {
    if (generated === 0) return;
    bringIntoView(snippet.current);
    announce('The code snippet is ready.');
  }, [generated, announce]);
  const { startedAt, response, problem } = test;
  useEffect(() => {
    if (startedAt !== null || response !== null || problem !== null) bringIntoView(result.current);
  }, [startedAt, response, problem]);
  useEffect(() => {
    if (response !== null) announce(`Response received, status ${response.status}.`);
  }, [response, announce]);
  const shape: CallShape = filters.form === 'short' ? 'short' : 'v1';
  const refused = (test.response?.problem?.fields ?? []).map((each) => ({ ...each, field: pagingField(each.field) }));
  const errors = { ...errorsByField(refused), ...invalid };
  const request = { queryName, parameters: toSentParameters(parameters, values), ...paging };
  const usesSession = !isEntered(credential);

  /** Shows what is missing; true if nothing is. */
  const isComplete = (): boolean => {
    const found = {
      ...(query === null ? { queryName: 'Choose a query.' } : {}),
      ...findMissing(parameters, values),
      ...credentialProblems(credential),
    };
    setInvalid(found);
    if (Object.keys(found).length > 0) return false;
    setFilters(urlOfValues(parameters, values));
    return true;
  };
  const runWith = async (rows: Paging) => {
    // on this host, which may be another than that of the base URL
    const service = { ...session, baseUrl: withBasePath('') };
    const { headers, ...call } = jsonCall({ ...request, ...rows }, shape, credential, 'real', service);
    const { 'X-API-Key': _, ...withoutKey } = headers;
    const received = await test.send({ ...call, headers: usesSession ? withoutKey : headers }, usesSession);
    // the rows of another credential are not those of this user
    if (!usesSession || query === null || !received?.rows || !isFirstPage(rows)) return;
    keepResult(session.id, { query, rows: received.rows, totalRows: received.next === null ? received.rows.length : null });
  };
  const loadNextPage = () => {
    if (!test.response?.next) return;
    const rows = { ...paging, ...test.response.next };
    setPaging(rows);
    void runWith(rows);
  };
  const clearErrors = () => setInvalid({}); // they do not apply to changed values

  return (
    <>
      <Paper withBorder p={{ base: 'sm', sm: 'md' }}>
        <Stack gap="md">
          <QueryPicker value={query} onChange={onPick} error={errors.queryName} />
          {query !== null && query.description !== '' && (
            <Text size="sm" c="dimmed" mt={-8}>
              {query.description}
            </Text>
          )}
          <CredentialFields
            credential={credential}
            errors={errors}
            onChange={(next) => {
              clearErrors();
              setCredential(next);
            }}
          />
          <PagingFields paging={paging} onChange={setPaging} errors={errors} />
          <Divider label="Parameters" labelPosition="left" />
          {query === null ? (
            <Text size="sm" c="dimmed">
              Choose a query to see its parameters.
            </Text>
          ) : (
            <ParameterFields
              byName
              queryName={query.queryName}
              parameters={parameters}
              values={values}
              errors={errors}
              onChange={(next: ParameterValues) => {
                clearErrors();
                setValues({ of, values: next });
              }}
            />
          )}
          <Group gap="sm">
            <Button leftSection={<IconCode size={16} aria-hidden />} onClick={() => isComplete() && setGenerated(generated + 1)}>
              Generate Code Snippet
            </Button>
            <Button
              variant="default"
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              loading={test.startedAt !== null}
              onClick={() => isComplete() && void runWith(paging)}
            >
              Run Test API
            </Button>
            {query !== null && <DataLinkButton query={query} values={values} size="sm" />}
            {query !== null && <CodeButton query={query} values={values} size="sm" />}
            {usesSession && (
              <Text size="xs" c="dimmed">
                Without a credential, Run Test API uses your session.
              </Text>
            )}
          </Group>
        </Stack>
      </Paper>
      {announcement}
      {generated > 0 && (
        <SnippetCard
          request={request}
          version={query?.activatedAs ?? null}
          credential={credential}
          shape={shape}
          withSecret={withSecret}
          onWithSecret={setWithSecret}
          ref={snippet}
        />
      )}
      <Stack gap="md" ref={result}>
        <RunStatus startedAt={test.startedAt} rowsSoFar={null} onCancel={test.cancel} />
        <CancelledNote afterMs={test.cancelledMs} keepsResult={test.response !== null} />
        <ProblemAlert error={test.problem} />
        {test.response?.status === 403 && query !== null && (
          <Alert color="red" variant="light" role="alert" title={`This credential cannot run ${query.name}`}>
            {test.response.problem?.message}
          </Alert>
        )}
        {test.response !== null && (
          <ResponseCard
            response={test.response}
            isStale={test.startedAt !== null || test.cancelledMs !== null}
            onNext={loadNextPage}
          />
        )}
      </Stack>
    </>
  );
}

const isFirstPage = ({ rowIndex, queryMoreCode }: Paging): boolean => Number(rowIndex) === 0 && queryMoreCode === '';

const nothingChosen: Pick<Query, 'parameters' | 'queryName'> = { parameters: [], queryName: '' };

/** Announces a text to screen readers. The element must stay mounted: a new element with text is often not read. */
function useAnnouncement() {
  const [text, setText] = useState('');
  // a repeated text is read only if it differs, here by a space
  const announce = useCallback((next: string) => setText((before) => (before === next ? `${next}\u00a0` : next)), []);
  const announcement = (
    <div role="status" className="visually-hidden">
      {text}
    </div>
  );
  return { announce, announcement } as const;
}
