"""Questions and notes as someone writes them who has never seen the engine; all of it is invented.

The outcome is often put in other words than the question's. Every figure of such notes bears on the question,
save those in `elsewhere`.
"""

from tests.llm.pairs import Pair

PAIRS = (
    Pair(
        "hip",
        "Does early mobilisation shorten hospital stay after hip fracture?",
        """# Getting patients up on day 1

Physiotherapists walked 212 patients on the first day after surgery; 208 others started on day 3.

- Length of stay: 7.2 days v 9.1 days
- Delirium: 11% v 19%
- Falls on the ward: 4 v 5

Thirty-day readmission was the same in both arms (8%). Two patients in the early group dislocated the prosthesis.
""",
    ),
    Pair(
        "fluoride",
        "Is fluoride varnish worth applying to the teeth of preschool children?",
        """# Varnish in nurseries, Tayside

1,284 toddlers aged 3 were painted with 5% NaF varnish twice a year. After 24 months 26% had new caries; among the
1,190 controls it was 39%.

| Surface | Varnish | Control |
|---|---|---|
| molars | 1.1 | 1.9 |
| incisors | 0.4 | 0.5 |

The programme cost 14 pounds a child. One in 300 had an allergic reaction.
""",
    ),
    Pair(
        "collars",
        "Do GPS collars help farmers find lameness in dairy cows?",
        """Trial farm, 164 Holsteins with neck-mounted trackers, winter 2021.

Animals that limped lay down 1.7 hours more per day and walked 480 m less. The algorithm flagged 71% of the cases a
vet had scored as lame, on average 3.5 days earlier. False alarms: 12 per 100 cows per month.

Battery life was 19 months. Farmers spent 40 minutes a week on the app.
""",
    ),
    Pair(
        "biochar",
        "What does biochar do for maize yields on sandy soils?",
        """# Biochar plots, Zambia

We added 4 t/ha of biochar made from cobs to a loamy sand. Farmers harvested 3.9 t/ha of grain where nothing was
added and 5.1 t/ha with biochar. A double dose gave no further gain (5.2 t/ha).

Soil pH went from 4.8 to 5.6. Available water rose by 15%.

In the dry season of the third year the advantage had shrunk to 6%.
""",
    ),
    Pair(
        "hedgerows",
        "Are hedgerows important for wild bees?",
        """## Transects

38 transects of 200 m were walked five times in 2019. We counted 27 species along hedges and 11 in open arable land.

Bumblebee queens were three times as frequent. Nests of solitary bees were found within 60 m of woody margins in 82%
of cases.

Flail cutting each autumn reduced blossom by 47%.
""",
    ),
    Pair(
        "concrete",
        "How much CO2 can be saved by replacing cement with fly ash in concrete?",
        """# Mix trials

Mix A had 380 kg/m3 Portland cement. In mix B 35% of the binder was fly ash.

The footprint fell from 342 to 241 kg CO2e per cubic metre. Compressive strength at 28 days: 41 MPa against 36 MPa;
at 90 days there was no difference (47 MPa).

Setting took 2.5 hours longer.
""",
    ),
    Pair(
        "heatpump",
        "Do heat pumps work well in old, poorly insulated houses?",
        """Monitoring of 46 dwellings built before 1945, air-source units, two winters.

- Seasonal COP 2.9 (range 2.1 to 3.6)
- Flow temperature 52 °C at -7 °C outside
- Bills went down by 210 euros a year compared with gas boilers
- 9 of 46 households complained of cold rooms

With new radiators the COP reached 3.4.
""",
    ),
    Pair(
        "buslanes",
        "Did the new bus lanes make public transport faster?",
        """# Evaluation of corridor 12

Before the lanes opened a journey from end to end took 41 minutes, afterwards 33. Punctuality went up from 68% to 85%.
Ridership grew 14% within a year.

Cars needed 2 minutes more. There were 11 fewer collisions with cyclists.
""",
    ),
    Pair(
        "tutoring",
        "Does peer tutoring raise reading scores in primary school?",
        """### What the Leeds schools did

Older pupils read with younger ones 3 times a week for 20 minutes (n = 618, 12 schools).

Younger children gained 5.4 points more on the standardised test than their classmates who carried on as usual; effect
size 0.31. Tutors themselves improved by 2.2 points.

Attrition: 7%. Boys profited less (3.9 points).
""",
    ),
    Pair(
        "minimumwage",
        "What happens to employment when the minimum wage is raised?",
        """# Minimum wage, border counties

Hourly pay floor went from $7.25 to $10.10. Restaurants in 288 county pairs: jobs changed by -0.3% (95% CI -1.6 to 1.0),
earnings rose by 6.5%.

Teenagers lost 1.2% of hours. Prices on menus were 0.9% higher. Staff turnover dropped by a fifth.
""",
    ),
    Pair(
        "plague",
        "How did the Black Death affect the wages of English farm workers?",
        """# After 1349

Mowers on the Winchester estates were paid 5d an acre in 1340 and 8d in 1360. Threshers' day rates doubled between
1348 and 1370.

The Statute of Labourers of 1351 tried to hold pay at 1346 levels. Of 1,100 cases in Wiltshire 74% concerned excess
payment.

Grain was 30% cheaper by 1376.
""",
    ),
    Pair(
        "bilingual",
        "Do bilingual children have smaller vocabularies than monolingual ones?",
        """Toddlers, 24 months, parent checklists (n = 154).

English words known: 214 (two languages at home) and 271 (English only). If both languages are added up the first group
knows 290.

At age 5 the gap had closed to 4 words. Receptive skills did not differ (p = 0.41).
""",
    ),
    Pair(
        "sourdough",
        "Does sourdough fermentation lower the glycaemic response to bread?",
        """# Tasting panel and blood tests

Fourteen volunteers ate 50 g carbohydrate portions. Peak blood sugar was 7.1 mmol/l after yeasted loaf and 6.2 mmol/l
after sourdough; insulin 38% lower at 45 minutes.

Acidity: pH 3.9 v 5.4. Resistant starch 3.1% v 1.8%.

Panel liking was 6.8 of 9.
""",
    ),
    Pair(
        "beetroot",
        "Does beetroot juice make cyclists faster?",
        """# Nitrate before a time trial

11 trained riders drank 140 ml (8.4 mmol nitrate) 2.5 hours before a 16.1 km time trial. They finished in 26.9 min,
with placebo 27.7 min. Power output was 5% up.

Elite athletes (VO2max above 65) gained only 0.4%. Four reported red urine.
""",
    ),
    Pair(
        "mindful",
        "Can mindfulness training lower stress among nurses?",
        """## Eight-week course, intensive care unit

57 nurses took part, 54 waited. PSS scores: from 21.3 down to 15.8; waiting list 20.9 to 20.1.

Emotional exhaustion (MBI) was 4.6 points lower. Sick days over six months: 3.1 against 4.4.

A third dropped out before week 6. Six months on, half of the effect was gone (PSS 18.2).
""",
    ),
    Pair(
        "review",
        "Does code review find bugs before release?",
        """# Reviews at two companies

Inspecting 1,540 pull requests, reviewers left 6,212 comments; 15% of them named a defect. Files that nobody had looked
at had 2.1 times as many post-release faults.

Reviews of more than 400 lines found 0.8 defects per 100 lines, shorter ones 2.4.

Median waiting time was 9 hours.
""",
    ),
    Pair(
        "handwashing",
        "Do hand hygiene campaigns reduce infections in hospitals?",
        """# Alcohol rub at every bed

Compliance climbed from 48% to 79% over 18 months. MRSA bacteraemia: 2.3 to 1.1 per 10,000 bed days.

C. difficile did not change (4.0 and 3.9). Use of gel was 31 litres per 1,000 bed days.

Auditors were known to the staff, so compliance is probably overstated by 10 points.
""",
    ),
    Pair(
        "canine",
        "Is pimobendan useful in dogs with mitral valve disease?",
        """EPIC-like study, 354 client-owned dogs, stage B2.

Median time to congestive heart failure or cardiac death 1,228 days with the drug, 766 days with placebo (HR 0.64).
Heart size shrank by 7% in the first month.

Vomiting 6% v 5%. King Charles spaniels made up 44%.
""",
    ),
    Pair(
        "tilapia",
        "What stocking density is best for tilapia in cages?",
        """# Cage culture, Lake Volta

| fish per m3 | harvest weight (g) | survival (%) |
|---|---|---|
| 50 | 412 | 94 |
| 100 | 365 | 91 |
| 150 | 241 | 73 |

Feed conversion was 1.6 at 50 and 2.3 at 150. Profit peaked at 100 (1,120 USD per cage).
""",
    ),
    Pair(
        "vaccine",
        "How effective is HPV vaccination at preventing cervical cancer?",
        """# Register study

1,672,983 girls and women aged 10 to 30. The quadrivalent vaccine had been given to 527,871.

Invasive disease: 19 among them, 538 among the rest. Incidence rate ratio 0.37; 0.12 for those who had their jab before
17.

Precancerous lesions (CIN3+) fell by 66%.
""",
    ),
    Pair(
        "wolves",
        "Have wolves changed deer numbers in the Bavarian Forest?",
        """Camera traps at 112 sites, 2016 to 2022.

Red deer density 3.1 per km2 before the pack came, 2.6 after. Roe deer were seen 22% less often near dens. Browsing of
fir saplings dropped from 18% to 12%.

Wolf diet: 61% roe deer, 24% red deer (n = 340 scats).
""",
    ),
    Pair(
        "perovskite",
        "How stable are perovskite solar cells in humid air?",
        """# Ageing tests

Unsealed devices lost half of their efficiency in 90 h at 85% relative humidity. Encapsulated ones kept 94% after
1,000 h.

Start value was 21.4%. Caesium-containing films degraded 4 times more slowly.

Colour turned yellow (lead iodide) after 200 h.
""",
    ),
    Pair(
        "coffee",
        "Is coffee good or bad for the liver?",
        """## Cohort, 12 years

Cirrhosis risk: 44% lower at two cups a day (RR 0.56, 0.44 to 0.68). Four cups: RR 0.35.
ALT fell by 3.1 U/l per cup.

No association for tea. Decaf RR 0.80. Participants: 430,000.
""",
    ),
    Pair(
        "telemedicine",
        "Are video consultations as good as face-to-face visits for diabetes?",
        """# Remote clinic

HbA1c after a year was 7.4% with telemedicine and 7.5% in the outpatient arm (difference -0.1, CI -0.3 to 0.1; 402 adults
with type 2).

Patients saved 71 minutes of travel. Missed appointments 6% v 15%. Foot ulcers overlooked: 3 v 0.

Older people needed help with the camera in 38% of calls.
""",
    ),
    Pair(
        "microplastics",
        "How much plastic do mussels take up from sea water?",
        """# Blue mussels, Oslofjord

Each animal held 1.8 particles (0.9 per g tissue). Near the outfall it was 6.4. Fibres made up 83%.

Animals kept in clean tanks got rid of 70% within 72 h. Smallest size detected 70 µm.
""",
    ),
    Pair(
        "smoking",
        "Do e-cigarettes help smokers quit?",
        """# Stop smoking services

886 attendees were given either a vape starter kit or nicotine patches. One-year abstinence was 18.0% v 9.9% (RR 1.83).

Among those abstinent 80% still vaped at 52 weeks; 9% of the others used patches. Throat irritation 65% v 51%. Cough and
phlegm declined more.
""",
    ),
    Pair(
        "greenroof",
        "Do green roofs keep cities cooler?",
        """Six extensive roofs in Basel, sensors at 1.5 m, July 2018.

Surface temperature at 3 pm: 33 °C on sedum, 58 °C on bitumen. Air above was 0.9 K lower. Rooms on the top floor were
2.4 K cooler.

They held back 55% of the rain. Upkeep: 3 francs per m2.
""",
    ),
    Pair(
        "accent",
        "Do listeners find foreign-accented speech less credible?",
        """# Ants don't sleep

Trivia sentences were read out by native and non-native speakers; 84 students judged truth on a 14 cm line. Native 7.5 cm,
mild accent 6.95 cm, heavy accent 6.84 cm.

When warned about the effect raters corrected for mild accents (7.6) but not for heavy ones (6.7).

A replication with 400 people found nothing (d = 0.02).
""",
    ),
    Pair(
        "stent",
        "Should stable angina be treated with a stent or with tablets?",
        """## ISCHEMIA-type trial

5,179 people with moderate ischaemia. Invasive strategy: 16.4% had an event at five years; conservative 18.2%.
Deaths 145 and 144.

Chest pain was gone in 50% v 20% of those with weekly symptoms. Procedural infarctions 2.9% v 1.1%.
""",
    ),
    Pair(
        "remote",
        "Are people who work from home more productive?",
        """# Call centre, Shanghai

Of 996 employees 503 volunteered; 249 were drawn by lot. Output rose by 13%, of which 9 points came from fewer breaks and
sick days and 4 from more calls a minute.

Resignations halved. Promotion chances conditional on performance fell. The firm saved 2,000 dollars per head a year.
""",
    ),
    Pair(
        "exercise in labour",
        "Does a birth ball make labour shorter and less painful?",
        """# Sitting on the ball, labour ward B

128 first-time mothers. First stage 6.8 h with the ball and 8.1 h in bed. Pain on the ten-point scale was 5.2 and 6.9 at
full dilatation.

Caesarean: 9% against 14%. Epidurals were asked for by 31 and 44 women.
""",
    ),
    Pair(
        "implants immediate",
        "Can dental implants be loaded immediately?",
        """## Loading on the day of placement

| | same day | after 3 months |
|---|---|---|
| fixtures lost | 5 of 96 | 3 of 101 |
| marginal bone loss (mm) | 0.8 | 0.7 |

Patients were content sooner (VAS 88 v 71). Smokers lost 4 of the 5.
""",
    ),
    Pair(
        "chewing gum",
        "Does chewing gum help the bowel recover after abdominal operations?",
        """Colorectal unit, 2 sites, 158 patients randomised. Sugar-free gum three times daily from day 1.

- First flatus: 41 h v 57 h
- First stool: 68 h v 90 h
- Went home 1.1 days sooner

Nausea did not differ (22% and 24%). No one choked.
""",
    ),
    Pair(
        "heat wave",
        "How many people die in heat waves in Swiss cities?",
        """# Summer 2003 and after

Excess mortality was 975 in June to August 2003, 7% above what was expected. In Basel it was 24%.
People over 80 made up 6 in 10.

After action plans started in 2005 the rise per hot night went from 5.1% to 3.3%.
""",
    ),
    Pair(
        "foot rot",
        "Does footbathing protect sheep from foot rot?",
        """### Trial in Wales

Zinc sulphate 10%, fortnightly, 640 ewes in 8 flocks.
Lame at 12 weeks: 4.1% of bathed, 11.8% of unbathed animals. Interdigital lesions healed in 9 days.
Lambs grew 21 g a day faster. It cost 0.70 pounds per head.
""",
    ),
    Pair(
        "strip cropping",
        "Do flower strips reduce aphids in wheat fields?",
        """# Margins sown with cornflower and dill

We counted 3.4 aphids per tiller at 5 m from the strip, 7.9 at 50 m. Hoverfly larvae were 4 times as abundant close by.
Parasitism rose to 29%. Yield: 7.8 t/ha, 0.2 more than the farm mean. Insecticide was skipped in 11 of 14 fields.
""",
    ),
    Pair(
        "otters",
        "Did otters come back to English rivers after pesticides were banned?",
        """Dieldrin was withdrawn for seed dressing in 1975. National surveys (2,940 sites) found signs at 5.8% in 1979, 34% in
2000 and 58.8% in 2010.

Road deaths are now the main cause of loss: 62% of 1,100 carcasses. PCB in livers fell by 80%.
""",
    ),
    Pair(
        "graphene",
        "Does graphene make rubber tougher?",
        """## Nanofillers in natural rubber

0.5 phr graphene oxide: tear strength 41 kN/m, unfilled 29 kN/m. Elongation at break dropped from 720% to 655%.
At 2 phr the sheets clumped and nothing was gained (30 kN/m). Cost per kg rose by 1.9 dollars.
""",
    ),
    Pair(
        "tidal",
        "Is tidal power reliable enough for islands?",
        """# Orkney

Four turbines of 2 MW ran for 26 months. Availability 93%, capacity factor 38%. Output could be told 10 days ahead with
an error of 4%.

Blades were cleaned of barnacles every 5 months. The diesel bill of the community went down by a third (310,000 litres).
""",
    ),
    Pair(
        "e-scooter",
        "Are electric scooters dangerous?",
        """Emergency department, 9 months: 249 injured riders, 28 of them minors. Head trauma 40%, fractures 32%.
Helmet worn: 4%. Blood alcohol above the limit in 5%.

Rides taken in that time: 1.1 million. Pedestrians hit: 21.
""",
    ),
    Pair(
        "later start",
        "Should schools start later so that teenagers sleep more?",
        """# First bell at 8:45

Wrist actigraphs, 182 sophomores. After the change they got 34 minutes more per night. Grades in biology were 4.5% up.
Tardiness fell from 14 to 11 days a term in one school; no change in the richer one.

Parents: 63% in favour.
""",
    ),
    Pair(
        "rent control",
        "What did rent control do to housing in San Francisco?",
        """## The 1994 ballot measure

Tenants in protected buildings were 10 to 20% more likely to stay at their address. Landlords took 15% of units off the
market. City-wide that pushed rents up by 5.1%.

Those older than 40 gained 2,300 dollars a year. Sample: 42,000 dwellings.
""",
    ),
    Pair(
        "potato famine",
        "Why did so many people leave Ireland in the 1840s?",
        """Phytophthora destroyed about a third of the potato crop in 1845 and nearly all in 1846. A million died.
Emigrants: 105,000 in 1846, 215,000 in 1847, 250,000 in 1851. Three quarters sailed to America.

Evictions rose to 104,000 persons in 1850. Passage cost 3 to 5 pounds.
""",
    ),
    Pair(
        "vocal fry",
        "Is vocal fry more common in young women?",
        """# Creaky voice, California

Recordings of 48 undergraduates. Creak took up 12.2% of voiced frames in females and 7.1% in males. At the end of phrases
it was 33%.

Hirability ratings were 0.4 points lower on a seven-point scale when the same sentence was read creakily.
""",
    ),
    Pair(
        "acrylamide",
        "How can acrylamide in French fries be lowered?",
        """- Blanching strips in 70 °C water for 10 min: 412 instead of 890 µg/kg
- Soaking 1 h: 660
- Frying at 165 rather than 185 °C: 350
- Storing tubers above 8 °C: reducing sugars 0.3 v 1.1 g/kg

Taste was judged the same by 24 panellists.
""",
    ),
    Pair(
        "nordic hamstring",
        "Do Nordic curls prevent hamstring injuries in footballers?",
        """# Amateur league, Netherlands

579 players, 25 sessions over 13 weeks. Strains: 11 with the programme and 25 in the control teams (0.25 v 0.8 per 1,000
player hours).

Severity was alike: 17 days out. Compliance reached 91%. Muscle soreness in week 1 was reported by 40%.
""",
    ),
    Pair(
        "ptsd",
        "Does EMDR work for post-traumatic stress in refugees?",
        """Istanbul camp, 98 Syrians. Up to 7 sessions of eye movement desensitisation.
Still meeting criteria at 5 weeks: 39% v 94% on the waiting list. IES-R fell from 53 to 29 points.
Depression (BDI) was 12 points lower. Drop-out 15%.
""",
    ),
    Pair(
        "tdd",
        "Does test-driven development lead to fewer defects?",
        """# Four teams at two vendors

Pre-release fault density went down by 40 to 90% relative to similar projects. Building took 15 to 35% longer.
Test code made up 0.9 lines per line of product.

In a later experiment with 39 professionals there was no difference (p = 0.6).
""",
    ),
    Pair(
        "salt substitute",
        "Do salt substitutes prevent strokes?",
        """Villages in northern China: 20,995 adults, mean age 65. Potassium chloride 25% in the mix.

Strokes per 1,000 person-years 29.1 v 33.7. Deaths 39.3 v 44.6. Systolic pressure 3.3 mmHg lower.
Hyperkalaemia was not more frequent (3.4 and 3.3).
""",
    ),
    Pair(
        "green bonds",
        "Do green bonds lower the cost of borrowing for cities?",
        """## Municipal issues 2013 to 2021

We matched 640 labelled bonds with 640 plain ones of the same issuer. Yield spread: 5.9 basis points lower at issue, 2.1
in the secondary market.

Certified ones did better (8.3). Underwriting fees were 10% higher.
""",
    ),
    Pair(
        "clozapine",
        "Does clozapine lower the risk of suicide in people with schizophrenia?",
        """# Clozapine

980 outpatients at 67 sites were followed for two years. Suicide attempts: 34 on clozapine, 55 on olanzapine (HR 0.76).
Hospital rescue was needed in 82 and 107.

White cell counts were taken weekly; 7 people stopped because of them. Weight went up 4.2 kg.
""",
    ),
    Pair(
        "pressure ulcers",
        "Do foam mattresses prevent pressure sores in nursing homes?",
        """## High-specification foam

- 11 care homes in Leeds, 412 residents
- Category 2 damage or worse: 6.3% (old mattresses 13.1%)
- Heels were affected most (58%)

Turning every 4 hours instead of 2 made no difference on foam. Price 240 pounds each.
""",
    ),
    Pair(
        "sealants",
        "How long do fissure sealants protect molars?",
        """Children aged 7 to 9, 521 sealed first molars.

Retained completely: 92% after 1 year, 76% after 3, 61% after 5. New decay at 5 years 9% against 31% in unsealed teeth.
Glass ionomer came off sooner (38% left at 3 years).
""",
    ),
    Pair(
        "gallbladder",
        "Should the gallbladder be removed during the first admission for cholecystitis?",
        """# Timing of cholecystectomy

Early surgery (within 24 h) in 304 patients, delayed (day 7 to 45) in 314.
Morbidity 11.8% v 34.4%; stay 5.4 v 10.0 days; costs 2,919 v 4,262 euros. Conversion to open 9.9% v 11.9%.
""",
    ),
    Pair(
        "sugar levy",
        "Did the UK soft drinks levy reduce sugar intake in children?",
        """The levy began in April 2018. Sugar from drinks fell by 4.8 g a day in under-16s and 10.9 g in adults within a year.
Manufacturers reformulated: drinks above 5 g/100 ml went from 49% of the shelf to 15%. Tooth extractions in under-5s
were 12% fewer.
""",
    ),
    Pair(
        "equine asthma",
        "Does steamed hay help horses with equine asthma?",
        """# Hay trial, 2019

| | dry hay | steamed hay |
|---|---|---|
| cough score | 3.1 | 1.4 |
| neutrophils in lavage (%) | 24 | 15 |

Respirable dust fell by 98%. 12 geldings, crossover, 6 weeks each. Steaming takes 50 minutes a bale.
""",
    ),
    Pair(
        "striga",
        "Can push-pull cropping control striga in Kenya?",
        """Desmodium between maize rows, Napier grass around: 14 farms near Mbita.
Emerged striga per m2: 3 v 41. Stem borer damage 8% v 29%. Grain 3.4 t/ha v 1.6 t/ha. Labour in the first season was
22 days more; seed cost 35 dollars a hectare.
""",
    ),
    Pair(
        "beaver dams",
        "Do beaver dams improve water quality?",
        """# River Otter enclosure

13 ponds hold back 101 tonnes of sediment. Downstream phosphate was 77% lower, nitrogen 34% lower.
Peak flows were cut by 30%, lag time rose by 29%.
Dissolved organic carbon doubled. Farmers lost 1.2 ha of grassland.
""",
    ),
    Pair(
        "self-healing",
        "How well does bacterial self-healing concrete close cracks?",
        """Bacillus spores with calcium lactate in clay pellets.

After 100 days under water cracks up to 0.46 mm had filled; without spores 0.18 mm. Permeability was down by 94%.
28-day strength suffered: 38 MPa versus 44 MPa. The price per m3 triples.
""",
    ),
    Pair(
        "sodium ion",
        "Could sodium-ion cells replace lithium ones in home storage?",
        """# Bench test

Hard carbon anode, layered oxide. 3,000 cycles to 80% capacity; LFP 5,200. Energy density 140 Wh/kg (LFP 165).
At -20 degrees 88% of the charge was still available. Round trip efficiency 90%. Estimated price 57 dollars/kWh.
""",
    ),
    Pair(
        "roundabouts",
        "Are roundabouts safer than traffic lights?",
        """Conversions at 55 American junctions: injury crashes down 76%, all crashes down 35%. Delays fell by 20 s a car.

Cyclists fared worse in Flanders, where 90 roundabouts brought 27% more injury accidents with bicycles.
""",
    ),
    Pair(
        "flipped",
        "Does the flipped classroom improve grades in engineering courses?",
        """# Thermodynamics 2

Videos at home, problems in class. Section A (flipped, n = 74) scored 71.2 in the final, section B (lectures, n = 78)
66.5. Failures dropped from 17 to 9%.

Students spent 2.1 h more a week. Satisfaction was lower (3.4 of 5 against 4.0).
""",
    ),
    Pair(
        "tulip",
        "How high did prices rise in the Dutch tulip mania?",
        """In January 1637 a Semper Augustus bulb was offered at 10,000 guilders; a carpenter earned 250 a year. Prices of common
Switsers went from 60 guilders on 31 December to 1,500 on 3 February. By May they were 1% of that.

Only 37 people paid more than 400 guilders, so ruin was rare.
""",
    ),
    Pair(
        "uptalk",
        "Who uses uptalk in New Zealand English?",
        """# High rising terminals, Porirua survey

75 speakers. Maori women under 30: 9.1% of tone groups; Pakeha men over 40: 0.4%. In narratives it was three times as
frequent as in opinions. Middle-class speakers 1.6%.
""",
    ),
    Pair(
        "cold brew",
        "Is cold brew coffee less acidic than hot coffee?",
        """Six light roasts, 10 g in 100 ml.

pH 4.96 to 5.13 in both. Titratable acids 5.1 ml NaOH cold and 7.9 ml hot. Antioxidants (ABTS) 13% lower in the cold
extract. Steeping lasted 7 h, hot filter 6 min.
""",
    ),
    Pair(
        "altitude tents",
        "Does sleeping in altitude tents improve endurance in runners?",
        """# Live high, train low

16 distance runners spent 9 h a night at a simulated 3,000 m for 29 days. Haemoglobin mass +3.3%, VO2max +2.6%, 3 km time
12 s faster. Controls: 2 s. Sleep quality fell in 5 of 16. Two weeks later half of the gain was gone.
""",
    ),
    Pair(
        "growth mindset",
        "Do growth mindset interventions raise the grades of low achievers?",
        """National study, 12,490 ninth graders, 65 schools, two 25-minute online sessions.
Lower-achieving students: GPA up 0.10 points; share with D or F down 5.3 percentage points.
Where peers did not value challenge the effect was nil (0.02).
""",
    ),
    Pair(
        "memory safety",
        "Does writing new code in Rust reduce security vulnerabilities?",
        """# Android numbers

In 2019, 76% of holes were memory safety bugs; in 2024 it was 24%. Rust patches are rolled back half as often as C++ ones.
Review took 25% less time. 1.5 million lines so far; 0.2 such bugs per million lines against 1,000 in C and C++.
""",
    ),
    Pair(
        "rotavirus",
        "How effective is the rotavirus vaccine in Malawi?",
        """Infants, 3 doses. Severe gastroenteritis: efficacy 49.4% in Malawi, 76.9% in South Africa. 4,939 babies enrolled.
Per 100 vaccinated, 6.7 episodes were averted in Malawi (more than elsewhere, because there is more disease).
""",
    ),
    Pair(
        "four-day week",
        "What happened when British firms tried a four-day week?",
        """# Pilot 2022

61 companies, about 2,900 staff. Revenue +1.4% over the six months. Resignations fell by 57%, sick days by 65%.
71% felt less burnt out. 56 of the 61 carried on. Two workplaces found rotas unworkable.
""",
    ),
)
