from primefourier.lab.cost import model_flops
from primefourier.lab.speed import Speed, measure_speed, time_gemm
from small_models import small_config


def test_ratio_and_share_follow_from_the_times() -> None:
    speed = Speed(8, 2, plain_seconds=60, fast_seconds=10, flops=10**12, gemm_rate=2e11)
    assert speed.ratio == 6
    assert speed.gemm_share == 0.5


def test_both_trainers_train_every_model() -> None:
    told: list[str] = []
    configs = [small_config(seed=seed) for seed in range(3)]
    speed = measure_speed(configs, workers=1, tell=told.append)
    assert [text for text in told if not text.startswith("the machine")] == [
        "fast, models 1 to 2 of 3",
        "plain, models 1 to 2 of 3",
        "fast, models 3 to 3 of 3",
        "plain, models 3 to 3 of 3",
    ]
    assert speed.flops == sum(map(model_flops, configs))
    assert min(speed.plain_seconds, speed.fast_seconds) > 0


def test_a_core_multiplies_matrices_at_a_plausible_rate() -> None:
    assert 1e8 < time_gemm() < 1e13
