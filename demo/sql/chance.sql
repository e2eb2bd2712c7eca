-- A pseudo-random number from 0 up to 1 for a key and a purpose, the same every time.
-- Hashed twice: in hash(key, purpose), a purpose flips the same bits of every key, so the numbers of two purposes would be correlated.
CREATE TEMP MACRO chance(key, purpose) AS (hash(hash(key, purpose)) >> 11)::DOUBLE / 9007199254740992;
CREATE TEMP MACRO pick(choices, key, purpose) AS choices[1 + floor(chance(key, purpose) * len(choices))::INTEGER];

-- A random waiting time for events that are `mean` apart on average.
CREATE TEMP MACRO wait(mean, key, purpose) AS -ln(1 - chance(key, purpose)) * mean;
