-- Names in the script of their country; where that is not Latin, the spelling for an e-mail address follows a slash.
CREATE TEMP TABLE peoples AS
FROM (VALUES
  ('Germany', 17, false, ['Berlin', 'Hamburg', 'München', 'Köln', 'Leipzig', 'Düsseldorf', 'Nürnberg'],
    ['Anna', 'Lukas', 'Jürgen', 'Sophie', 'Maximilian', 'Käthe', 'Felix', 'Lena', 'Björn', 'Hannah', 'Jonas', 'Petra', 'Ayşe', 'Tobias', 'Greta', 'Stefan', 'Mehmet', 'Clara', 'Moritz', 'Ute'],
    ['Müller', 'Schmidt', 'Weiß', 'Fischer', 'Schäfer', 'Wagner', 'Becker', 'Groß', 'Hoffmann', 'Köhler', 'Yılmaz', 'Krüger', 'Vogel', 'Lehmann', 'Jäger', 'Brandt', 'Sommer', 'Winkler', 'Böhm', 'Seidel']),
  ('Austria', 4, false, ['Wien', 'Graz', 'Linz', 'Salzburg'],
    ['Elisabeth', 'Florian', 'Magdalena', 'Matthias', 'Johanna', 'Sebastian', 'Theresa', 'Günther'],
    ['Gruber', 'Huber', 'Pichler', 'Steiner', 'Moser', 'Mayr', 'Hölzl', 'Eder', 'Wallner']),
  ('Switzerland', 4, false, ['Zürich', 'Genève', 'Basel', 'Bern', 'Lugano'],
    ['Urs', 'Noémie', 'Reto', 'Chiara', 'Beat', 'Céline', 'Luca', 'Regula', 'Zoé'],
    ['Meier', 'Favre', 'Zürcher', 'Bianchi', 'Rochat', 'Keller', 'Brunner', 'Aebischer']),
  ('Poland', 6, false, ['Warszawa', 'Kraków', 'Łódź', 'Wrocław', 'Gdańsk'],
    ['Agnieszka', 'Paweł', 'Katarzyna', 'Łukasz', 'Małgorzata', 'Michał', 'Zofia', 'Grzegorz', 'Stanisław', 'Joanna', 'Wojciech'],
    ['Nowak', 'Wójcik', 'Mazur', 'Krawczyk', 'Król', 'Wróbel', 'Dudek', 'Gołąb', 'Zając', 'Łuczak', 'Pająk']),
  ('Czechia', 3, false, ['Praha', 'Brno', 'Ostrava', 'Plzeň'],
    ['Jiří', 'Tereza', 'Ondřej', 'Kateřina', 'Tomáš', 'Veronika', 'Matěj', 'Zdeněk'],
    ['Krejčí', 'Kočí', 'Martinů', 'Petrů', 'Dolejší', 'Janů', 'Hořejší', 'Jirků']),
  ('United Kingdom', 12, false, ['London', 'Manchester', 'Bristol', 'Leeds', 'Edinburgh', 'Cardiff'],
    ['Oliver', 'Amelia', 'George', 'Priya', 'Harry', 'Isla', 'Siân', 'Thomas', 'Aisha', 'Callum', 'Charlotte', 'Rhys', 'Emily', 'Kwame', 'Freya', 'Daniel', 'Niamh', 'Imran', 'Poppy', 'Alistair'],
    ['Smith', 'Jones', 'O''Connor', 'Patel', 'Taylor', 'Evans', 'MacDonald', 'Wright', 'Khan', 'Hughes', 'Bennett', 'Owusu', 'Clarke', 'Fraser', 'Whitfield', 'Lloyd', 'Ahmed', 'Turner', 'Hall', 'Baker']),
  ('France', 10, false, ['Paris', 'Lyon', 'Marseille', 'Nantes', 'Besançon', 'Saint-Étienne'],
    ['Chloé', 'François', 'Amélie', 'Théo', 'Hélène', 'Benoît', 'Inès', 'Raphaël', 'Margaux', 'Loïc', 'Océane', 'Jérôme', 'Manon', 'Gaël', 'Fatou', 'Étienne'],
    ['Lefèvre', 'Moreau', 'Dubois', 'Béranger', 'Garnier', 'Rousseau', 'Lemaître', 'Fontaine', 'Gauthier', 'Diallo', 'Chevalier', 'Renault', 'Mercier', 'Besson', 'Le Gall', 'Haddad']),
  ('Netherlands', 5, false, ['Amsterdam', 'Rotterdam', 'Utrecht', 'Den Haag'],
    ['Daan', 'Sanne', 'Joost', 'Fleur', 'Willem', 'Anouk', 'Bram', 'Lotte', 'Sjoerd', 'Renée'],
    ['de Vries', 'van den Berg', 'Bakker', 'Janssen', 'Visser', 'Mulder', 'de Boer', 'van Dijk', 'Hoekstra', '''t Hart']),
  ('Spain', 6, false, ['Madrid', 'Barcelona', 'València', 'Sevilla', 'A Coruña', 'Málaga'],
    ['Lucía', 'Álvaro', 'María José', 'Íñigo', 'Carmen', 'Andrés', 'Nerea', 'Joaquín', 'Núria', 'Martín', 'Begoña'],
    ['García López', 'Muñoz', 'Fernández', 'Ibáñez', 'Peña', 'Rodríguez', 'Serrano', 'Núñez Vidal', 'Etxeberria', 'Castro', 'Ortiz']),
  ('Italy', 6, false, ['Milano', 'Roma', 'Torino', 'Bologna', 'Napoli'],
    ['Giulia', 'Niccolò', 'Francesca', 'Alessandro', 'Chiara', 'Lorenzo', 'Elisa', 'Davide', 'Martina', 'Matteo', 'Beatrice'],
    ['Rossi', 'Ferrari', 'Esposito', 'D''Angelo', 'Ricci', 'Marino', 'Colombo', 'Greco', 'Lo Cascio', 'Galli', 'Conti']),
  ('Portugal', 3, false, ['Lisboa', 'Porto', 'Braga', 'Évora'],
    ['João', 'Inês', 'Gonçalo', 'Beatriz', 'Tomás', 'Conceição', 'Rui', 'Leonor'],
    ['Gonçalves', 'Simões', 'Araújo', 'Pereira', 'Magalhães', 'Santos', 'Antunes', 'Brandão']),
  ('Greece', 2, false, ['Athens', 'Thessaloniki', 'Patras'],
    ['Γιώργος/giorgos', 'Μαρία/maria', 'Ελένη/eleni', 'Νίκος/nikos', 'Δήμητρα/dimitra', 'Κώστας/kostas', 'Άννα/anna'],
    ['Αθανασίου/athanasiou', 'Οικονόμου/oikonomou', 'Γεωργίου/georgiou', 'Νικολάου/nikolaou', 'Βασιλείου/vasileiou', 'Ιωάννου/ioannou']),
  ('Bulgaria', 1, false, ['Sofia', 'Plovdiv', 'Varna'],
    ['Иван/ivan', 'Димитър/dimitar', 'Георги/georgi', 'Стоян/stoyan', 'Николай/nikolay', 'Калоян/kaloyan'],
    ['Иванов/ivanov', 'Петров/petrov', 'Димитров/dimitrov', 'Стоянов/stoyanov', 'Ангелов/angelov', 'Николов/nikolov']),
  ('Bulgaria', 1, false, ['Sofia', 'Plovdiv', 'Varna'],
    ['Елена/elena', 'Мария/maria', 'Цветелина/tsvetelina', 'Десислава/desislava', 'Йоана/yoana', 'Радка/radka'],
    ['Иванова/ivanova', 'Петрова/petrova', 'Димитрова/dimitrova', 'Стоянова/stoyanova', 'Ангелова/angelova', 'Николова/nikolova']),
  ('Sweden', 4, false, ['Stockholm', 'Göteborg', 'Malmö', 'Umeå'],
    ['Åsa', 'Erik', 'Linnéa', 'Göran', 'Maja', 'Oskar', 'Märta', 'Sven', 'Elsa'],
    ['Andersson', 'Lindström', 'Öberg', 'Åkesson', 'Nyström', 'Bergqvist', 'Hedlund', 'Sjögren']),
  ('Denmark', 3, false, ['København', 'Aarhus', 'Odense', 'Helsingør'],
    ['Søren', 'Freja', 'Mads', 'Ida', 'Jørgen', 'Signe', 'Rasmus', 'Bodil'],
    ['Jensen', 'Nielsen', 'Sørensen', 'Kjær', 'Østergaard', 'Mølgaard', 'Holm', 'Lund']),
  ('Finland', 2, false, ['Helsinki', 'Tampere', 'Jyväskylä'],
    ['Aino', 'Väinö', 'Päivi', 'Eero', 'Sanni', 'Antti', 'Hilla'],
    ['Korhonen', 'Mäkinen', 'Nieminen', 'Hämäläinen', 'Laine', 'Lehtonen', 'Väisänen']),
  ('United States', 11, false, ['New York', 'Chicago', 'San Francisco', 'Austin', 'Boston', 'Seattle', 'Atlanta'],
    ['Olivia', 'Liam', 'Ava', 'Noah', 'Sofía', 'James', 'Mia', 'Elijah', 'Grace', 'Ethan', 'Zoe', 'Mateo', 'Harper', 'Jamal', 'Abigail', 'Wei', 'Nathan', 'Layla', 'Caleb', 'Rosa'],
    ['Johnson', 'Williams', 'Ramírez', 'Brown', 'Davis', 'Nguyen', 'Miller', 'Washington', 'Anderson', 'Lee', 'Thompson', 'Martínez', 'Robinson', 'Cohen', 'Walker', 'Kowalski', 'Reed', 'Foster', 'Chen', 'Sullivan']),
  ('Canada', 5, false, ['Toronto', 'Montréal', 'Vancouver', 'Québec', 'Calgary'],
    ['Émilie', 'Logan', 'Maxime', 'Hannah', 'Félix', 'Charlotte', 'Arjun', 'Geneviève', 'Owen', 'Mackenzie'],
    ['Tremblay', 'Campbell', 'Gagnon', 'Singh', 'Côté', 'MacLeod', 'Bélanger', 'Wong', 'Roy', 'Fortin']),
  ('Japan', 6, true, ['Tokyo', 'Osaka', 'Kyoto', 'Yokohama', 'Sapporo'],
    ['陽翔/haruto', '結衣/yui', '蓮/ren', '美咲/misaki', '健太/kenta', 'さくら/sakura', '大輔/daisuke', '直子/naoko', '翔太/shota', '葵/aoi', '恵子/keiko'],
    ['佐藤/sato', '鈴木/suzuki', '高橋/takahashi', '田中/tanaka', '渡辺/watanabe', '伊藤/ito', '山本/yamamoto', '中村/nakamura', '小林/kobayashi', '加藤/kato', '吉田/yoshida']),
  ('South Korea', 3, true, ['Seoul', 'Busan', 'Incheon'],
    ['민준/minjun', '서연/seoyeon', '지훈/jihun', '하은/haeun', '도윤/doyun', '수아/sua', '현우/hyeonu', '지민/jimin'],
    ['김/kim', '이/lee', '박/park', '최/choi', '정/jeong', '강/kang', '윤/yoon', '한/han']),
  ('India', 4, false, ['Mumbai', 'Pune', 'Delhi', 'Bengaluru'],
    ['आरव/aarav', 'प्रिया/priya', 'रोहन/rohan', 'अनन्या/ananya', 'विक्रम/vikram', 'दीपिका/deepika', 'संजय/sanjay', 'मीरा/meera'],
    ['शर्मा/sharma', 'पटेल/patel', 'देशमुख/deshmukh', 'गुप्ता/gupta', 'जोशी/joshi', 'मेहता/mehta', 'कुलकर्णी/kulkarni', 'सिंह/singh']),
  ('United Arab Emirates', 3, false, ['Dubai', 'Abu Dhabi', 'Sharjah'],
    ['محمد/mohammed', 'فاطمة/fatima', 'أحمد/ahmed', 'مريم/maryam', 'خالد/khalid', 'نورة/noura', 'عمر/omar', 'ليلى/layla'],
    ['المنصوري/almansoori', 'الهاشمي/alhashimi', 'حداد/haddad', 'النعيمي/alnuaimi', 'خوري/khoury', 'السويدي/alsuwaidi', 'الزعابي/alzaabi'])
) AS people (country, share, family_first, cities, given, family);

INSERT INTO customers
WITH month AS (
  SELECT month, date_diff('month', TIMESTAMP '2018-01-01', month) AS number
  FROM range(TIMESTAMP '2018-01-01', TIMESTAMP '2026-01-01', INTERVAL 1 MONTH) AS months (month)
), joining AS (
  -- more from year to year, and most before Christmas
  SELECT month, number * 1000 + unnest(range(round(58 * 1.0085 ** number
    * [0.95, 0.85, 0.95, 1.0, 1.0, 0.95, 0.85, 0.85, 1.0, 1.05, 1.3, 1.35][month(month)]
    * (0.88 + 0.24 * chance(number, 'joining')))::BIGINT)) AS key
  FROM month
), dated AS (
  SELECT key, (month + INTERVAL (floor(chance(key, 'day') * day(last_day(month)))::INTEGER) DAY)::DATE AS signup_date FROM joining
), numbered AS (
  SELECT 10000 + row_number() OVER (ORDER BY signup_date, key) AS customer_id, signup_date FROM dated
), share AS (
  SELECT *, sum(share) OVER (ORDER BY country, family) - share AS starts, sum(share) OVER () AS total FROM peoples
), placed AS (
  SELECT n.*, floor(chance(customer_id, 'country') * (SELECT max(total) FROM share))::BIGINT AS point FROM numbered n
), person AS (
  SELECT customer_id, signup_date, country, family_first,
         -- the first city of a country is its largest
         cities[1 + floor(chance(customer_id, 'city') ** 1.7 * len(cities))::INTEGER] AS city,
         pick(given, customer_id, 'given') AS given, pick(family, customer_id, 'family') AS family
  FROM placed ASOF JOIN share ON placed.point >= share.starts
), addressed AS (
  SELECT *, lower(replace(strip_accents(split_part(given, '/', -1) || '.' || split_part(family, '/', -1)), 'ß', 'ss')) AS address FROM person
)
SELECT customer_id,
       CASE WHEN family_first THEN split_part(family, '/', 1) || ' ' || split_part(given, '/', 1)
            ELSE split_part(given, '/', 1) || ' ' || split_part(family, '/', 1) END,
       CASE WHEN chance(customer_id, 'has address') < 0.94
            THEN regexp_replace(translate(replace(address, 'æ', 'ae'), 'łøđı', 'lodi'), '[^a-z.]', '', 'g') || customer_id % 1000
              || '@' || pick(['example.com', 'example.org', 'example.net', 'mail.example', 'post.example'], customer_id, 'domain') END,
       city, country,
       CASE WHEN chance(customer_id, 'segment') < 0.79 THEN 'Consumer' WHEN chance(customer_id, 'segment') < 0.95 THEN 'Small business' ELSE 'Corporate' END,
       signup_date, chance(customer_id, 'loyalty') < 0.38,
       CASE WHEN chance(customer_id, 'asked') < 0.9 THEN chance(customer_id, 'newsletter') < 0.44 END
FROM addressed
ORDER BY customer_id;
